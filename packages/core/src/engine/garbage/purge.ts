import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '../../contracts/blob-store.js';
import { systemCode } from '../../system-code.js';
import { inParallel } from '../concurrency/parallel.js';
import { aclRecords } from '../records/acls.js';
import { completionRecords } from '../records/completions.js';
import type { Stored } from '../records/kind.js';
import { unpack } from '../records/manifest.js';
import { manifestRecords } from '../records/manifests.js';
import { partRecords, partsOf } from '../records/parts.js';
import { type Garbage, tombstoneRecords } from '../records/tombstones.js';
import { uploadRecords, uploadsOf } from '../records/uploads.js';
import type { Store } from '../store.js';

/** The blobs of a manifest that may exist, if known. */
type Made = ReadonlySet<string> | undefined;

/** What could not be removed. */
export class Failures {
  count = 0;
  /** The first error. */
  first: unknown;
  /** Whether the blob store cannot be reached. Each further call would take its time limit. */
  isUnreachable = false;

  /** Failures at the same time share one probe. */
  #probe: Promise<boolean> | undefined;

  async add(error: unknown, { blobs }: Store): Promise<void> {
    if (this.count++ === 0) this.first = error;
    if (this.isUnreachable || systemCode(error) !== 'EHOSTDOWN') return;
    this.#probe ??= answers(blobs).finally(() => {
      this.#probe = undefined;
    });
    // An object store may fail for some of its objects only.
    if (!(await this.#probe)) this.isUnreachable = true;
  }
}

/** How long a blob store may take to show that it can be reached. */
const PROBE_MS = 5_000;

const answers = (blobs: BlobStore): Promise<boolean> =>
  Promise.race([
    blobs.identity().then(
      () => true,
      () => false,
    ),
    sleep(PROBE_MS, false, { ref: false }),
  ]);

export interface PurgeOptions {
  /** The blobs of manifests that may exist, by the id of the manifest. */
  readonly made?: ReadonlyMap<string, Made>;
  readonly failures?: Failures;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Removes data first, then the records that name it, then the tombstone: a crash leaves work for
 * later, but never leaks anything. What cannot be removed keeps its tombstone, and so does the rest
 * if the blob store cannot be reached, or if `signal` aborts. For a manifest in `made`, only the
 * given blobs are removed, because no others exist. Resolves to the number that were removed.
 */
export async function purge(
  store: Store,
  tombstones: readonly Pick<Stored<Garbage>, 'key' | 'value'>[],
  { made, failures = new Failures(), signal }: PurgeOptions,
): Promise<number> {
  const records: string[] = [];
  let removed = 0;
  await inParallel(tombstones, AT_ONCE, async ({ key, value }) => {
    if (failures.isUnreachable || signal?.aborted) return;
    const { id } = tombstoneRecords.parse(key);
    try {
      records.push(...(await PURGES[value](store, id, made?.get(id))), key);
      removed++;
    } catch (error) {
      await failures.add(error, store);
    }
  });
  if (records.length > 0) await store.metadata.commit({ delete: records });
  return removed;
}

/** The number of concurrent removals. They share the syncs of directories. */
const AT_ONCE = 32;

type Purge = (store: Store, id: string, made?: Made) => Promise<string[]>;

/**
 * How each kind is removed. Each function returns the records to remove together with the
 * tombstone.
 */
const PURGES: Readonly<Record<Garbage, Purge>> = {
  async blob(store, id) {
    await store.blobs.remove(id);
    return [];
  },
  async manifest(store, id, made) {
    const blobs = made ?? (await blobsOfManifest(store, id));
    await inParallel(blobs, AT_ONCE, (blob) => store.blobs.remove(blob));
    return [manifestRecords.key(id)];
  },
  async upload(store, id) {
    for await (const page of partRecords.pages(store.metadata, { under: partsOf(id) })) {
      const segments = page.flatMap(({ value }) => value.content.segments);
      await inParallel(segments, AT_ONCE, ({ blob }) => store.blobs.remove(blob));
      await store.metadata.commit({ delete: page.map(({ key }) => key) });
    }
    return [];
  },
  completed: async (_store, id) => [completionRecords.key(id)],
  acl: async (_store, id) => [aclRecords.key(id)],
  async bucket(store, id) {
    for await (const page of uploadRecords.pages(store.metadata, { under: uploadsOf(id) })) {
      const remove = ({ key }: { key: string }) =>
        PURGES.upload(store, uploadRecords.parse(key).uploadId);
      await inParallel(page, AT_ONCE, remove);
      const lists = page.flatMap(({ value }) => value.aclId ?? []);
      const gone = [...page.map(({ key }) => key), ...lists.map((list) => aclRecords.key(list))];
      await store.metadata.commit({ delete: gone });
    }
    return [];
  },
};

async function blobsOfManifest(store: Store, id: string): Promise<Set<string>> {
  const entry = await manifestRecords.get(store.metadata, id);
  const segments = entry === undefined ? [] : unpack(entry.value);
  return new Set(Array.from(segments, ({ blob }) => blob));
}
