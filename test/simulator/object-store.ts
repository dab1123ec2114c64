import { type BlobStore, BlobUnsettledError } from '@bucketware/core';
import { type Drivers, replaced, rightDrivers, type Stores } from './protocol.js';
import { recordsWith } from './wrong-drivers.js';

/** One in this many writes gets no response. */
const LOST = 7;

/** After how many further calls a late write takes effect. */
const LATENESS = 2;

/**
 * An object store such as S3: blobs cannot grow, sharing a blob copies its bytes, and a write
 * without a response may still take effect, even after its blob has been removed.
 */
export const objectStore: Drivers = {
  ...rightDrivers,
  stores: (stores) => lateStores(stores, (id) => new BlobUnsettledError(id)),
  mayFail: true,
};

/** The same, but small segments are joined before they are written to a manifest. */
export const joiningObjectStore: Drivers = { ...objectStore, segmentsInRecord: 4 };

export function lateStores({ blobs, metadata }: Stores, failure: (id: string) => Error): Stores {
  const late: { at: number; write: () => Promise<unknown> }[] = [];
  let [writes, calls] = [0, 0];
  /** Late writes that are due take effect after the call. */
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    const call = ++calls;
    const result = await work();
    const due = late.findIndex(({ at }) => at <= call);
    if (due >= 0) await late.splice(due, 1)[0]?.write();
    return result;
  };
  const write: BlobStore['write'] = async (id, source, options) => {
    if (++writes % LOST > 0) return blobs.write(id, source, options);
    const chunks: Uint8Array[] = [];
    for await (const chunk of source) chunks.push(Uint8Array.from(chunk));
    options?.signal?.throwIfAborted();
    late.push({ at: calls + LATENESS, write: () => writeLate(blobs, id, chunks) });
    throw failure(id);
  };
  const { append, ...fixed } = replaced(blobs, {
    write,
    share: async (id, as) => {
      const size = await sizeOf(blobs, id);
      await write(as, await blobs.read(id, { start: 0, end: size }));
    },
    remove: (id) => counted(() => blobs.remove(id)),
  });
  const commit = (change: Parameters<typeof metadata.commit>[0]) =>
    counted(() => metadata.commit(change));
  return { blobs: fixed, metadata: recordsWith(metadata, { commit }) };
}

/** The caller does not wait for its outcome. */
const writeLate = (blobs: BlobStore, id: string, chunks: readonly Uint8Array[]): Promise<unknown> =>
  blobs.write(id, new Blob(chunks as Uint8Array<ArrayBuffer>[]).stream()).catch(() => undefined);

async function sizeOf(blobs: BlobStore, wanted: string): Promise<number> {
  for await (const { id, size } of blobs.list()) if (id === wanted) return size;
  return 0;
}
