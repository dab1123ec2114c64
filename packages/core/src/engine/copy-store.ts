import pLimit from 'p-limit';
import { BlobNotFoundError, type BlobStore } from '../contracts/blob-store.js';
import type { Entry, MetadataStore } from '../contracts/metadata-store.js';
import { encodeValue } from '../contracts/values.js';
import { type StoreRecord, storeRecord } from './records/store-identity.js';
import { newId } from './store.js';
import { together } from './transaction.js';

/** The drivers of a storage. */
export interface Drivers {
  readonly metadata: MetadataStore;
  readonly blobs: BlobStore;
}

export interface CopyOptions {
  /** The storage to copy. It may be read meanwhile. */
  readonly from: Drivers;
  /** Empty drivers, or those of a copy that was interrupted: it continues. */
  readonly to: Drivers;
  /** Called after each blob and each page of records. */
  readonly onProgress?: ((progress: CopyReport) => void) | undefined;
  /** Ends the copy early, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What this call has copied. What an interrupted copy had copied before does not count. */
export interface CopyReport {
  readonly passes: number;
  readonly blobs: number;
  readonly bytes: number;
  readonly records: number;
}

/** As many blobs are copied at the same time. */
const BLOBS_AT_A_TIME = 8;

/** What one commit takes at most, unless a single record is larger. */
const PAGE = 256;
const MAX_BYTES = 4 * 1024 * 1024;

/** With more changes than this the source is in use, and would always be ahead. */
const MAX_PASSES = 10;

/**
 * Copies all records and blobs to other drivers, as they are. Passes are repeated until one finds
 * nothing to change, so the source must come to rest before the end. The identity is copied last:
 * an unfinished copy does not open as a storage.
 *
 * Takes about 100 bytes of memory for each blob. Rejects when the target belongs to another storage,
 * or is a finished copy, which may be in use.
 */
export async function copyStore({
  from,
  to,
  onProgress,
  signal,
}: CopyOptions): Promise<CopyReport> {
  const identity = await storeRecord.get(from.metadata);
  if (identity === undefined)
    throw new Error('There is nothing to copy: the source is no storage.');
  await claim(from, to, identity.value);
  const run = new Copy(from, to, signal, onProgress);
  do {
    if (run.report.passes === MAX_PASSES) {
      throw new Error('The source is still being changed. Stop its writers, and call again.');
    }
  } while (await run.pass());
  const absent = storeRecord.expect(undefined, undefined);
  const entry = storeRecord.put(undefined, identity.value);
  if (await to.metadata.commit(together(absent, entry))) return run.report;
  throw new Error('Another copy to the same target has just ended.');
}

/** Marks an empty target as that of this copy. */
async function claim(
  from: Drivers,
  { metadata, blobs }: Drivers,
  { id }: StoreRecord,
): Promise<void> {
  const known = await storeRecord.get(metadata);
  if (known !== undefined) {
    throw new Error(`The target already holds the storage ${known.value.id}. Choose an empty one.`);
  }
  const mark = await blobs.identity();
  if (mark === id) return requireOther(from.blobs, blobs);
  if (mark !== undefined) {
    throw new Error(`The bytes of the target belong to the storage ${mark}. Choose empty ones.`);
  }
  const [record] = await metadata.list({ prefix: '', limit: 1 });
  const { value: blob } = await blobs.list()[Symbol.asyncIterator]().next();
  if (record !== undefined || blob !== undefined) throw new Error('The target is not empty.');
  await blobs.identify(id);
}

/**
 * It is either the target of an interrupted copy, or the place of the source. Two storages on the same
 * bytes would remove each other's.
 */
async function requireOther(source: BlobStore, target: BlobStore): Promise<void> {
  const probe = newId();
  await target.write(probe, (async function* () {})());
  try {
    (await source.read(probe, { start: 0, end: 0 })).destroy();
  } catch (error) {
    if (error instanceof BlobNotFoundError) return;
    throw error;
  } finally {
    await target.remove(probe);
  }
  throw new Error('The target has the same bytes as the source. Choose another directory for it.');
}

class Copy {
  readonly #from: Drivers;
  readonly #to: Drivers;
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: ((progress: CopyReport) => void) | undefined;
  #report: CopyReport = { passes: 0, blobs: 0, bytes: 0, records: 0 };

  constructor(
    from: Drivers,
    to: Drivers,
    signal: AbortSignal | undefined,
    onProgress: ((progress: CopyReport) => void) | undefined,
  ) {
    this.#from = from;
    this.#to = to;
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  get report(): CopyReport {
    return this.#report;
  }

  /** Blobs come before the records that name them. Resolves to whether anything was different. */
  async pass(): Promise<boolean> {
    const surplus = await this.#sizesAtTarget();
    const before = this.#report;
    await this.#copyBlobs(surplus);
    await this.#copyRecords();
    for (const id of surplus.keys()) await this.#to.blobs.remove(id);
    const { blobs, records } = this.#report;
    const changed = surplus.size > 0 || blobs > before.blobs || records > before.records;
    this.#add({ passes: 1 });
    return changed;
  }

  async #sizesAtTarget(): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    for await (const { id, size } of this.#to.blobs.list()) sizes.set(id, size);
    return sizes;
  }

  /** Leaves in `atTarget` what the source does not have. */
  async #copyBlobs(atTarget: Map<string, number>): Promise<void> {
    const limit = pLimit(BLOBS_AT_A_TIME);
    const running = new Set<Promise<void>>();
    try {
      for await (const { id, size } of this.#from.blobs.list()) {
        this.#signal?.throwIfAborted();
        const known = atTarget.get(id);
        atTarget.delete(id);
        if (known === size) continue;
        const work = limit(() => this.#copyBlob(id, size, known !== undefined));
        running.add(work);
        work.finally(() => running.delete(work)).catch(() => {}); // Awaited below.
        if (running.size >= 2 * BLOBS_AT_A_TIME) await Promise.race(running);
      }
      await Promise.all(running);
    } finally {
      limit.clearQueue();
      await Promise.allSettled(running);
    }
  }

  /** One that an interrupted copy has begun is written anew, as its bytes may not be on the disk. */
  async #copyBlob(id: string, size: number, isBegun: boolean): Promise<void> {
    const { blobs } = this.#to;
    const options = { signal: this.#signal };
    try {
      const bytes = await this.#from.blobs.read(id, { start: 0, end: size });
      await (isBegun ? blobs.append(id, 0, bytes, options) : blobs.write(id, bytes, options));
      this.#add({ blobs: 1, bytes: size });
    } catch (error) {
      // It was removed since it was listed. The next pass finds no record that names it.
      if (!(error instanceof BlobNotFoundError)) throw error;
      this.#add({ blobs: 1 });
    }
  }

  /** Both sides are read in the order of their keys, side by side. */
  async #copyRecords(): Promise<void> {
    const targets = entriesOf(this.#to.metadata);
    let target = await targets.next();
    const put: { key: string; value: unknown }[] = [];
    const removed: string[] = [];
    let size = 0;
    const flush = async (): Promise<void> => {
      this.#signal?.throwIfAborted();
      await this.#to.metadata.commit({ put, delete: removed });
      this.#add({ records: put.length + removed.length });
      put.length = 0;
      removed.length = 0;
      size = 0;
    };
    const removeUpTo = async (key: string | undefined): Promise<void> => {
      while (!target.done && (key === undefined || comesBefore(target.value.key, key))) {
        removed.push(target.value.key);
        target = await targets.next();
      }
    };
    for await (const { key, value } of entriesOf(this.#from.metadata)) {
      await removeUpTo(key);
      const bytes = encodeValue(value);
      const isKnown = !target.done && target.value.key === key;
      // Drivers may return bytes as different kinds of Uint8Array.
      if (!isKnown || !bytes.equals(encodeValue(target.value?.value))) {
        put.push({ key, value });
        size += bytes.length;
      }
      if (isKnown) target = await targets.next();
      if (put.length + removed.length >= PAGE || size >= MAX_BYTES) await flush();
    }
    await removeUpTo(undefined);
    if (put.length + removed.length > 0) await flush();
  }

  #add(more: Partial<CopyReport>): void {
    const { passes = 0, blobs = 0, bytes = 0, records = 0 } = more;
    const report = this.#report;
    this.#report = {
      passes: report.passes + passes,
      blobs: report.blobs + blobs,
      bytes: report.bytes + bytes,
      records: report.records + records,
    };
    this.#onProgress?.(this.#report);
  }
}

/** All records but the identity, in the order of their keys. */
async function* entriesOf(metadata: MetadataStore): AsyncGenerator<Entry, undefined> {
  for (let start = ''; ; ) {
    const page = await metadata.list({ prefix: '', start, limit: PAGE });
    for (const entry of page) if (entry.key !== storeRecord.key()) yield entry;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return undefined;
    start = `${last.key}\0`;
  }
}

const comesBefore = (one: string, other: string): boolean =>
  Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
