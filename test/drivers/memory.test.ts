import { blobStoreSuite, metadataStoreSuite } from '@bucketware/conformance';
import { BlobNotShareableError, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';

const persistent = false;

metadataStoreSuite(test, async () => ({ store: memoryMetadata() }), { persistent });
blobStoreSuite(test, async () => ({ store: memoryBlobs() }), { persistent });

const withoutSharing = () => {
  const store = memoryBlobs();
  const { share } = store;
  // An id that is wrong or taken is refused as ever.
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
