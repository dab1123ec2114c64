import { StorageError } from '@bucketware/core';
import test from 'ava';
import { call } from './raw.js';
import { alice, memoryStorage } from './servers.js';
import { serve } from './stalling.js';

const bucket = 'bucket';
const key = 'key';

test('an append whose offset is undefined does not replace the object', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  await storage.appendObject({ bucket, key, body: 'first' });
  const { size } = {} as { size: number };
  const error = await t.throwsAsync<StorageError>(
    storage.appendObject({ bucket, key, offset: size, body: 'second' }),
    { instanceOf: StorageError, message: /^offset is undefined.*leave it out/ },
  );
  t.is(error?.code, 'InvalidArgument');
  t.is(await (await storage.getObject({ bucket, key })).text(), 'first');
  t.is((await storage.appendObject({ bucket, key, offset: 5, body: '!' })).size, 6);
  t.is((await storage.appendObject({ bucket, key, body: 'anew' })).size, 4);
});

test('a program passes listed objects to deleteMultipleObjects, but no conditions', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  await storage.putObject({ bucket, key, body: '' });
  const { contents } = await storage.listObjects({ bucket });
  const rows = [
    [{ ifMatch: 'x' }, 'NotImplemented'],
    [{ ifNoneMatch: '*' }, 'NotImplemented'],
    [{ versionId: '1' }, 'NotImplemented'],
    [{ eTag: 'x' }, 'InvalidArgument'],
  ] as const;
  for (const [extra, code] of rows) {
    const objects = [{ key: 'other' }, { key, ...extra }];
    await t.throwsAsync(storage.deleteMultipleObjects({ bucket, objects }), { code });
  }
  t.deepEqual(await storage.deleteMultipleObjects({ bucket, objects: contents }), { errors: [] });
});

test('a condition on an object of a batch is rejected, and nothing is deleted', async (t) => {
  const { origin, storage } = await serve(t, 'node');
  await storage.as(alice).putObject({ bucket, key, body: '' });
  const remove = (object: object) =>
    call(origin, 'POST', '/bucket?delete', {
      body: JSON.stringify({ objects: [{ key }, { key, ...object }] }),
    });
  const time = '2026-01-01T00:00:00Z';
  const conditions = [
    { eTag: 'x' },
    { ETag: 'x' },
    { etag: '' },
    { size: 0 },
    { lastModified: time },
    { LastModifiedTime: time },
    { ifMatch: 'x' },
    { 'if-none-match': 'x' },
    { versionId: '1' },
  ];
  for (const condition of conditions) {
    const { status, text } = await remove(condition);
    t.is(status, 501, JSON.stringify(condition));
    t.is(JSON.parse(text).code, 'NotImplemented');
  }
  await t.notThrowsAsync(storage.getObjectMeta({ bucket, key }));
  t.like(await remove({ comment: 'x', versionId: '' }), { status: 200, text: '' });
});

test('the source of a copy is a bucket and a key, and no version or condition', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  await storage.putObject({ bucket, key, body: 'x' });
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'upload' });
  for (const extra of [{ versionId: '3' }, { ifMatch: 'other' }, { range: 'bytes=0-0' }]) {
    const source = { bucket, key, ...extra };
    const refused = { message: /^source has no field/ };
    await t.throwsAsync(storage.copyObject({ bucket, key: 'copy', source }), refused);
    const part = { bucket, key: 'upload', uploadId, partNumber: 1, source };
    await t.throwsAsync(storage.uploadPartCopy(part), refused);
  }
  t.is((await storage.listObjects({ bucket })).contents.length, 1);
});
