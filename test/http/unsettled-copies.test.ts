import { setTimeout as sleep } from 'node:timers/promises';
import {
  BlobUnsettledError,
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test from 'ava';

test('a copy keeps the tombstones of all its blobs if one may still appear, whichever fails first', async (t) => {
  const [blobs, metadata] = [memoryBlobs(), memoryMetadata()];
  let shares = 0;
  const late = Object.assign(Object.create(blobs), {
    async share(_: string, as: string) {
      if (++shares === 1) {
        await sleep(50);
        throw new BlobUnsettledError(as);
      }
      throw new Error('EMFILE: open');
    },
  });
  const fixed = new Proxy(late, {
    get: (target, name) => {
      const found = Reflect.get(target, name);
      return typeof found === 'function' && name !== 'share' ? found.bind(blobs) : found;
    },
  });
  const storage = await createObjectStorage({
    ...{ blobs: fixed, metadata, sweepEvery: false, reservedBlobs: 0, appendMemory: 0 },
    onError: () => {},
  });
  t.teardown(() => storage.close());
  const at = { bucket: 'bucket', key: 'log' };
  await storage.putBucket({ bucket: at.bucket });
  await storage.appendObject({ ...at, body: 'a'.repeat(2_000_000) });
  await storage.appendObject({ ...at, offset: 2_000_000, body: 'b'.repeat(2_000_000) });
  const waiting = async () => (await metadata.list({ prefix: 'g/', limit: 100 })).length;
  const before = await waiting();
  const copy = storage.copyObject({ bucket: 'bucket', key: 'copy', source: at });
  await t.throwsAsync(copy);
  t.is(shares, 2);
  t.is(await waiting(), before + 2);
});
