import type { Change, Entry } from '@bucketware/core';
import type { WrongProtocol } from './protocol.js';
import { recordsWith, wrongCommit, wrongStores } from './wrong-drivers.js';

const isBucket = (key: string): boolean => key.startsWith('b/');
const recordOf = (entry: Entry) =>
  entry.value as { readonly id: string; readonly closing: boolean };
/** Creating, deleting and configuring buckets works as usual. */
const isAboutBucket = ({ put = [], delete: removed = [] }: Change): boolean =>
  put.some(({ key }) => isBucket(key)) || removed.some(isBucket);

/** Mistakes in which what is committed is not what was admitted. */
export const wrongAdmissions: readonly WrongProtocol[] = [
  {
    name: 'commits do not check the bucket',
    needsRaces: true,
    drivers: wrongCommit((change, { metadata }) => {
      const expect = change.expect?.filter(({ key }) => isAboutBucket(change) || !isBucket(key));
      return metadata.commit({ ...change, expect: expect ?? [] });
    }),
  },
  {
    name: 'a bucket is identified by its name',
    needsRaces: true,
    // All buckets of a name have the same id, so their records share keys.
    drivers: wrongCommit((change, { metadata }) => {
      const put = (change.put ?? []).map((entry) =>
        isBucket(entry.key)
          ? { ...entry, value: { ...(entry.value as object), id: entry.key.slice(2) } }
          : entry,
      );
      return metadata.commit({ ...change, put });
    }),
  },
  {
    name: 'a permission is checked once and never again',
    needsRaces: true,
    // A commit checks that the bucket is the same and not being deleted, but not its list.
    drivers: wrongStores(({ blobs, metadata }) => {
      const ids = new Map<string, string>();
      const seen = <E extends Entry | undefined>(entry: E): E => {
        if (entry && isBucket(entry.key)) ids.set(entry.version, recordOf(entry).id);
        return entry;
      };
      return {
        blobs,
        metadata: recordsWith(metadata, {
          get: async (key) => seen(await metadata.get(key)),
          getMany: async (keys) => (await metadata.getMany(keys)).map(seen),
          async commit(change) {
            const expect = [];
            for (const expected of change.expect ?? []) {
              const now = isBucket(expected.key) && !isAboutBucket(change);
              const entry = now ? await metadata.get(expected.key) : undefined;
              const { id, closing } = entry ? recordOf(entry) : { id: undefined, closing: true };
              const isSame = id !== undefined && id === ids.get(expected.version ?? '');
              expect.push(isSame && !closing ? { ...expected, version: entry?.version } : expected);
            }
            return metadata.commit({ ...change, expect });
          },
        }),
      };
    }),
  },
];
