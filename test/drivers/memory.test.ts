import { blobStoreSuite, metadataStoreSuite } from '@bucketware/conformance';
import {
  BlobNotShareableError,
  type BlobStore,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test from 'ava';

const persistent = false;

metadataStoreSuite(test, async () => ({ store: memoryMetadata() }), { persistent });
blobStoreSuite(test, async () => ({ store: memoryBlobs() }), { persistent });

const withoutSharing = () => {
  const store = memoryBlobs();
  const { share } = store;
  // An id that is invalid or in use is still rejected.
  return Object.assign(store, {
    share: async (id: string, as: string) => {
      await share.call(store, id, as);
      await store.remove(as);
      throw new BlobNotShareableError(id);
    },
  });
};
blobStoreSuite(
  (name, run) => test(`without sharing: ${name}`, (t) => run(t)),
  async () => ({ store: withoutSharing() }),
  { persistent },
);

const withoutAppend = (): BlobStore => Object.assign(memoryBlobs(), { append: undefined });
blobStoreSuite(
  (name, run) => test(`without append: ${name}`, (t) => run(t)),
  async () => ({ store: withoutAppend() }),
  { persistent, appends: false },
);

test('a store without append fails the cases about it, unless its author declares that', async (t) => {
  const failed: string[] = [];
  const runs: Promise<void>[] = [];
  blobStoreSuite(
    (name, run) => {
      const failing = () => void failed.push(name.slice(0, name.indexOf(':')));
      if (/^blobs-(append|share)/.test(name)) runs.push(run().catch(failing));
    },
    async () => ({ store: withoutAppend() }),
    { persistent },
  );
  await Promise.all(runs);
  const about = ['cuts', 'grows', 'open-streams'].map((name) => `blobs-append-${name}`);
  t.deepEqual(failed.sort(), [...about, 'blobs-share-append']);
});
