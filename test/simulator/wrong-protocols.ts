import { Readable } from 'node:stream';
import { BlobNotFoundError, type GrowingBlobStore } from '@bucketware/core';
import { lateStores, objectStore } from './object-store.js';
import { ROOT, replaced, rightDrivers, type WrongProtocol } from './protocol.js';
import { wrongAdmissions } from './wrong-admissions.js';
import { recordsWith, wrongCommit, wrongStores } from './wrong-drivers.js';
import { wrongFileCalls } from './wrong-file-calls.js';
import {
  forgetUnwritten,
  idOf,
  isBlobEntry,
  removeUnnamed,
  withoutBlobEntries,
} from './wrong-garbage.js';

/** The options of a run that must detect the mistake. */
export const optionsFor = ({
  drivers,
  needsFaults = false,
  needsRaces = false,
  needsKills = false,
}: WrongProtocol) => ({
  drivers,
  faults: needsFaults,
  variants: needsRaces ? 0.05 : 12,
  ...(needsKills && { kills: 1 }),
});

async function collect(source: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return chunks;
}

const unlessAbsent = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

export const wrongProtocols: readonly WrongProtocol[] = [
  ...wrongFileCalls,
  ...wrongAdmissions,
  {
    name: 'removals are not synced',
    drivers: wrongStores(({ blobs, metadata }, files) => ({
      metadata,
      blobs: replaced(blobs, {
        remove: (id) => files.remove(`${ROOT}/${id.slice(0, 2)}/${id}`).catch(unlessAbsent),
      }),
    })),
  },
  {
    name: 'removals of an earlier process are assumed to be durable',
    needsKills: true,
    drivers: wrongStores(({ blobs, metadata }, files) => ({
      metadata,
      blobs: replaced(blobs, {
        async remove(id) {
          const directory = `${ROOT}/${id.slice(0, 2)}`;
          const isThere = await files.remove(`${directory}/${id}`).then(
            () => true,
            (error) => unlessAbsent(error) ?? false,
          );
          if (isThere) await files.syncDirectory(directory);
        },
      }),
    })),
  },
  {
    name: 'the record is committed before the data is written',
    drivers: wrongStores(({ blobs, metadata }) => {
      const late = new Map<string, Uint8Array[]>();
      return {
        blobs: replaced(blobs, {
          async write(id, source) {
            const chunks = await collect(source);
            late.set(id, chunks);
            return { size: chunks.reduce((sum, chunk) => sum + chunk.length, 0) };
          },
        }),
        metadata: recordsWith(metadata, {
          async commit(change) {
            const done = await metadata.commit(change);
            for (const id of (change.delete ?? []).map(idOf)) {
              const chunks = late.get(id);
              late.delete(id);
              if (done && chunks) await blobs.write(id, Readable.from(chunks));
            }
            return done;
          },
        }),
      };
    }),
  },
  {
    name: 'old data is removed before the commit that drops it',
    drivers: wrongCommit(async (change, { blobs, metadata }) => {
      for (const { key } of (change.put ?? []).filter(isBlobEntry)) await blobs.remove(idOf(key));
      return metadata.commit(change);
    }),
  },
  {
    name: 'old data is removed with the commit, without a read grace period',
    needsRaces: true,
    // Blobs that cannot grow make objects with many blobs, which a reader opens one after another.
    drivers: {
      ...wrongStores(({ blobs, metadata }) => {
        const append = async (id: string) => Promise.reject(new BlobNotFoundError(id));
        return { metadata, blobs: replaced(blobs, { append }) };
      }),
      readGrace: 0,
    },
  },
  {
    name: 'an append rewrites committed data',
    drivers: wrongStores(({ blobs, metadata }) => ({
      metadata,
      blobs: replaced(blobs, {
        async append(id, position, source, options) {
          const old = await collect(await blobs.read(id, { start: 0, end: position }));
          const added = await collect(source);
          return (blobs as GrowingBlobStore).append(
            id,
            0,
            Readable.from([...old, ...added]),
            options,
          );
        },
      }),
    })),
  },
  {
    name: 'every blob that a scan of the records misses is treated as garbage',
    drivers: wrongStores(({ blobs, metadata }) => ({
      blobs,
      metadata: recordsWith(metadata, {
        async list(range) {
          if (range.prefix === 'g/') await removeUnnamed({ blobs, metadata });
          return metadata.list(range);
        },
      }),
    })),
  },
  {
    name: 'a sweep deletes tombstones of blobs that are not written yet',
    drivers: wrongStores(({ blobs, metadata }) => ({
      blobs,
      metadata: recordsWith(metadata, {
        async list(range) {
          if (range.prefix === 'g/') await forgetUnwritten({ blobs, metadata });
          return metadata.list(range);
        },
      }),
    })),
  },
  { name: 'blobs are created without a tombstone', drivers: wrongStores(withoutBlobEntries) },
  {
    name: 'replaced data gets no tombstone',
    drivers: wrongCommit((change, { metadata }) => {
      const replaces = change.put?.some(({ key }) => key.startsWith('o/'));
      const put = change.put?.filter((entry) => !replaces || !isBlobEntry(entry)) ?? [];
      return metadata.commit({ ...change, put });
    }),
  },
  {
    name: 'a manifest is removed before the commit that replaces it',
    drivers: wrongCommit(async (change, { metadata }) => {
      const manifests = (change.delete ?? []).filter((key) => key.startsWith('m/'));
      if (manifests.length > 0) await metadata.commit({ delete: manifests });
      return metadata.commit(change);
    }),
  },
  {
    name: 'a removed object leaves the blobs that only its manifest names',
    drivers: wrongCommit((change, { metadata }) => {
      const put = change.put?.filter(({ value }) => value !== 'manifest') ?? [];
      return metadata.commit({ ...change, put });
    }),
  },
  {
    name: 'the parts of an object stay when it is removed',
    drivers: wrongCommit((change, { metadata }) => {
      const removed = change.delete?.filter((key) => !key.startsWith('l/')) ?? [];
      return metadata.commit({ ...change, delete: removed });
    }),
  },
  {
    name: 'a long access control list stays when its object is removed',
    drivers: wrongCommit((change, { metadata }) => {
      const put = change.put?.filter(({ value }) => value !== 'acl') ?? [];
      return metadata.commit({ ...change, put });
    }),
  },
  {
    name: 'a segment that an append added keeps its tombstone',
    drivers: wrongCommit((change, { metadata }) => {
      const appends = change.put?.some(
        ({ value }) => (value as { append?: object } | null)?.append,
      );
      const removed = change.delete?.filter((key) => !appends || !key.startsWith('g/')) ?? [];
      return metadata.commit({ ...change, delete: removed });
    }),
  },
  {
    name: 'expectations of a commit are ignored',
    drivers: wrongCommit((change, { metadata }) => metadata.commit({ ...change, expect: [] })),
  },
  {
    name: 'the records of a change are committed one by one',
    drivers: wrongCommit(async ({ expect, put = [], delete: removed = [] }, { metadata }) => {
      const first = put.slice(0, 1);
      const version = await metadata.commit({ expect: expect ?? [], put: first });
      if (version === undefined) return undefined;
      for (const entry of put.slice(1)) await metadata.commit({ put: [entry] });
      for (const key of removed) await metadata.commit({ delete: [key] });
      return version;
    }),
  },
  {
    name: 'a change is acknowledged before it is durable',
    drivers: { ...rightDrivers, forgetsLastCommit: true },
  },
  {
    name: 'a blob that may still arrive loses its tombstone at once',
    drivers: {
      ...objectStore,
      stores: (stores) => lateStores(stores, (id) => new Error(`no answer for ${id}`)),
    },
  },
  {
    name: 'data is removed when the outcome of its commit is unknown',
    needsFaults: true,
    drivers: wrongCommit(async (change, { blobs, metadata }) => {
      try {
        return await metadata.commit(change);
      } catch (error) {
        const adopted = (change.delete ?? []).filter((key) => key.startsWith('g/'));
        for (const key of adopted) await blobs.remove(idOf(key));
        throw error;
      }
    }),
  },
];
