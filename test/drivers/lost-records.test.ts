import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';
import { call } from '../http/raw.js';
import { alice, listen, onKoa } from '../http/servers.js';

test('after the records were removed, nothing looks absent, and nothing new is accepted', async (t) => {
  const metadata = memoryMetadata();
  const failures: unknown[] = [];
  const storage = await createObjectStorage({ blobs: memoryBlobs(), metadata });
  const onError = (error: unknown) => failures.push(error);
  const { origin, close } = await listen(onKoa(storage, { onError }));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  await storage.as(alice).putObject({ bucket: 'bucket', key: 'a', body: 'a' });
  t.is((await call(origin, 'GET', '/absent')).status, 404);

  const send = async () => {
    for (const [method, path, body] of [
      ['GET', '/'],
      ['GET', '/bucket'],
      ['GET', '/bucket/a'],
      ['PUT', '/bucket/a', 'b'],
      ['PUT', '/bucket'],
      ['PUT', '/another'],
      ['POST', '/bucket?delete', '{"objects":[{"key":"a"}]}'],
    ] as const) {
      const { status, text } = await call(origin, method, path, { body });
      t.is(status, 500, `${method} ${path}: ${text}`);
      t.regex(String(failures.pop()), /records of this storage were removed or replaced/);
    }
    const all = async () => {
      for await (const _ of storage.allBuckets());
    };
    for (const call of [all, storage.check, storage.scrub]) {
      await t.throwsAsync(async () => call(), { message: /were removed or replaced/ });
    }
  };
  const kept = await metadata.list({ prefix: '', limit: 100 });
  await metadata.commit({ delete: kept.map(({ key }) => key) });
  await send();
  // Another storage begins with the same records.
  await createObjectStorage({ blobs: memoryBlobs(), metadata });
  await send();
  t.deepEqual(failures, []);
});
