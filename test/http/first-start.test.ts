import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BlobStore,
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import test from 'ava';
import { replaced } from '../simulator/protocol.js';

/** The same store, as if it were a network away. */
function distant<T extends object>(store: T): T {
  return new Proxy(store, {
    get(target, name: keyof T & string) {
      const value = target[name];
      if (name === 'close') return async () => {}; // The others still use it.
      if (typeof value !== 'function') return value;
      if (!['get', 'commit', 'identity', 'identify'].includes(name)) return value.bind(target);
      return async (...given: readonly unknown[]) => {
        await sleep(Math.random() * 3);
        return value.apply(target, given);
      };
    },
  });
}

const openAt = (metadata: MetadataStore, blobs: BlobStore) =>
  createObjectStorage({ metadata, blobs, sweepEvery: false });

for (const round of [1, 2, 3]) {
  test(`of hosts that start for the first time with directories of their own, one opens (${round})`, async (t) => {
    const metadata = distant(memoryMetadata());
    const directories = Array.from({ length: 4 }, () => memoryBlobs());
    const opened = await Promise.allSettled(
      directories.map((blobs) => openAt(metadata, distant(blobs))),
    );
    const open = opened.filter((one) => one.status === 'fulfilled');
    t.is(open.length, 1);
    for (const { reason } of opened.filter((one) => one.status === 'rejected')) {
      t.regex((reason as Error).message, /the blobs to none/);
    }
    const marks = await Promise.all(directories.map((blobs) => blobs.identity()));
    t.is(marks.filter((mark) => mark !== undefined).length, 1);
    for (const { value } of open) await value.close();
  });

  test(`hosts that start for the first time with one directory all open (${round})`, async (t) => {
    const [metadata, blobs] = [distant(memoryMetadata()), distant(memoryBlobs())];
    const opening = Array.from({ length: 4 }, () => openAt(metadata, blobs));
    const storages: ObjectStorage[] = await Promise.all(opening);
    const [first, ...others] = storages as [ObjectStorage, ...ObjectStorage[]];
    await first.putBucket({ bucket: 'bucket' });
    for (const storage of others) await t.notThrowsAsync(storage.headBucket({ bucket: 'bucket' }));
    for (const storage of storages) await storage.close();
    const again = await openAt(metadata, blobs);
    await t.notThrowsAsync(again.headBucket({ bucket: 'bucket' }));
  });
}

test('a first start continues one that ended before it had marked its directory', async (t) => {
  const [metadata, blobs] = [memoryMetadata(), memoryBlobs()];
  const ending = replaced(blobs, { identify: () => Promise.reject(new Error('killed')) });
  await t.throwsAsync(openAt(metadata, ending), { message: /killed/ });
  const storage = await openAt(metadata, blobs);
  await t.notThrowsAsync(storage.putBucket({ bucket: 'bucket' }));
  await storage.close();
});
