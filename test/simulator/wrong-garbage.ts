import type { Stores } from './protocol.js';
import { blobsOf } from './readings.js';
import { recordsWith } from './wrong-drivers.js';

/** The id of the blob that a tombstone refers to. */
export const idOf = (tombstoneKey: string): string =>
  tombstoneKey.slice(tombstoneKey.lastIndexOf('/') + 1);
export const isBlobEntry = ({ key, value }: { key: string; value: unknown }): boolean =>
  key.startsWith('g/') && value === 'blob';

/** Removes every blob that no record names, as if there were no tombstones. */
export async function removeUnnamed({ blobs, metadata }: Stores): Promise<void> {
  const named = new Set<string>();
  for (const prefix of ['o/', 'p/']) {
    for (const { value } of await metadata.list({ prefix, limit: 1000 })) {
      const { content } = value as { content: { segments?: { blob: string }[] } };
      for (const { blob } of content.segments ?? []) named.add(blob);
    }
  }
  for (const { value } of await metadata.list({ prefix: 'm/', limit: 1000 })) {
    for (const blob of blobsOf(value as Uint8Array)) named.add(blob);
  }
  for await (const { id } of blobs.list()) if (!named.has(id)) await blobs.remove(id);
}

/** Removes the tombstones of blobs that are not written yet. */
export async function forgetUnwritten({ blobs, metadata }: Stores): Promise<void> {
  const written = new Set<string>();
  for await (const { id } of blobs.list()) written.add(id);
  const tombstones = await metadata.list({ prefix: 'g/', limit: 1000 });
  const unwritten = tombstones.filter(
    (entry) => isBlobEntry(entry) && !written.has(idOf(entry.key)),
  );
  await metadata.commit({ delete: unwritten.map(({ key }) => key) });
}

/** Keeps blob entries only in memory. Everything else works as usual. */
export function withoutBlobEntries({ blobs, metadata }: Stores): Stores {
  const births = new Map<string, unknown>();
  const version = 'birth';
  const entryOf = (key: string) => ({ key, value: births.get(key), version });
  return {
    blobs,
    metadata: recordsWith(metadata, {
      async getMany(keys) {
        const found = await metadata.getMany(keys);
        return keys.map((key, at) => (births.has(key) ? entryOf(key) : found[at]));
      },
      async commit(change) {
        const { expect = [], put = [], delete: removed = [] } = change;
        if (put.length > 0 && put.every(isBlobEntry) && expect.length + removed.length === 0) {
          for (const { key, value } of put) births.set(key, value);
          return version;
        }
        const real = expect.filter(({ key }) => !births.has(key));
        return metadata.commit({ ...change, expect: real });
      },
    }),
  };
}
