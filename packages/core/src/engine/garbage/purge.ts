import type { Entry } from '../../contracts/metadata-store.js';
import { inParallel } from '../concurrency/parallel.js';
import {
  aclKey,
  completedKey,
  manifestKey,
  parseGarbageKey,
  partPrefix,
  uploadIdOf,
  uploadPrefix,
} from '../records/keys.js';
import { unpack } from '../records/manifest.js';
import type { Garbage, PartRecord, UploadRecord } from '../records/types.js';
import { pages, type Store } from '../store.js';

/** The blobs of a manifest that may exist, where that is known. */
type Made = ReadonlySet<string> | undefined;

/**
 * Bytes first, then the records that name them, then the entry: a crash leaves work, not litter.
 * Of the manifests in `made` only these blobs are removed: there are no others.
 */
export async function bury(
  store: Store,
  doomed: readonly Pick<Entry, 'key' | 'value'>[],
  made?: ReadonlyMap<string, Made>,
): Promise<void> {
  if (doomed.length === 0) return;
  const records: string[] = [];
  await inParallel(doomed, AT_ONCE, async ({ key, value }) => {
    const { id } = parseGarbageKey(key);
    records.push(...(await BURIAL[value as Garbage](store, id, made?.get(id))), key);
  });
  await store.metadata.commit({ delete: records });
}

/** Removals that run at the same time: they share the syncs of directories. */
const AT_ONCE = 32;

type Burial = (store: Store, id: string, made?: Made) => Promise<string[]>;

/** How each kind is removed. Returns the records that go with the entry. */
const BURIAL: Readonly<Record<Garbage, Burial>> = {
  async blob(store, id) {
    await store.blobs.remove(id);
    return [];
  },
  async manifest(store, id, made) {
    const blobs = made ?? (await blobsOfManifest(store, id));
    await inParallel(blobs, AT_ONCE, (blob) => store.blobs.remove(blob));
    return [manifestKey(id)];
  },
  async upload(store, id) {
    for await (const page of pages(store.metadata, partPrefix(id))) {
      const segments = page.flatMap(({ value }) => (value as PartRecord).content.segments);
      await inParallel(segments, AT_ONCE, ({ blob }) => store.blobs.remove(blob));
      await store.metadata.commit({ delete: page.map(({ key }) => key) });
    }
    return [];
  },
  completed: async (_store, id) => [completedKey(id)],
  acl: async (_store, id) => [aclKey(id)],
  async bucket(store, id) {
    for await (const page of pages(store.metadata, uploadPrefix(id))) {
      await inParallel(page, AT_ONCE, ({ key }) => BURIAL.upload(store, uploadIdOf(key)));
      const lists = page.flatMap(({ value }) => (value as UploadRecord).aclId ?? []);
      await store.metadata.commit({ delete: page.map(({ key }) => key).concat(lists.map(aclKey)) });
    }
    return [];
  },
};

async function blobsOfManifest(store: Store, id: string): Promise<Set<string>> {
  const entry = await store.metadata.get(manifestKey(id));
  const segments = entry === undefined ? [] : unpack(entry.value as Uint8Array);
  return new Set(Array.from(segments, ({ blob }) => blob));
}
