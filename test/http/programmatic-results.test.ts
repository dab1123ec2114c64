import { inspect } from 'node:util';
import { StorageError } from '@bucketware/core';
import test from 'ava';
import { onDisk } from './open-files.js';
import { memoryStorage } from './servers.js';

const bucket = 'bucket';
const BYTES = Buffer.from('grün 😀 '.repeat(30_000));

test('results contain only documented fields, and no internal ones', async (t) => {
  const { storage } = await onDisk(t);
  const params = { bucket, key: 'key', metadata: { author: 'Jürgen' }, contentType: 'a/b' };
  const stored = await storage.putObject({ ...params, body: BYTES });
  const shown = JSON.parse(JSON.stringify(stored));
  t.deepEqual(shown, {
    key: 'key',
    size: BYTES.length,
    etag: stored.etag,
    lastModified: stored.lastModified.toISOString(),
    type: 'Normal',
    storageClass: 'STANDARD',
    contentMd5: stored.contentMd5,
    contentCrc32: stored.contentCrc32,
    contentType: 'a/b',
    metadata: { author: 'Jürgen' },
  });
  const log = await storage.appendObject({ bucket, key: 'log', body: BYTES });
  const read = await storage.getObject({ bucket, key: 'key', range: 'bytes=0-4' });
  const at = { bucket, key: 'parts' };
  const { uploadId } = await storage.initiateMultipartUpload(at);
  const upload = { ...at, uploadId };
  const part = await storage.uploadPart({ ...upload, partNumber: 1, body: BYTES });
  const source = { bucket, key: 'key' };
  const copied = await storage.uploadPartCopy({ ...upload, partNumber: 2, source });
  const { parts } = await storage.listParts(upload);
  t.deepEqual(
    parts.map(({ etag }) => etag),
    [part.etag, copied.etag],
  );
  const [one, two] = [
    { partNumber: 1, etag: part.etag },
    { partNumber: 2, eTag: copied.etag },
  ];
  const complete = await storage.completeMultipartUpload({ ...upload, parts: [one, two] });
  const copy = await storage.copyObject({ bucket, key: 'copy', source });
  const { contents } = await storage.listObjects({ bucket });
  t.deepEqual(
    contents.map(({ key, etag }) => [key, etag]),
    [
      ['copy', copy.etag],
      ['key', stored.etag],
      ['large', contents[2]?.etag],
      ['log', log.etag],
      ['parts', complete.etag],
    ],
  );
  for (const result of [stored, log, read, part, copied, parts, complete, copy, contents]) {
    for (const text of [JSON.stringify(result), inspect(result, { depth: 9, showHidden: true })]) {
      t.notRegex(text, /segments|blob|record|writer|inline|manifest|eTag/);
      t.regex(text, /etag/);
    }
  }
});

test('error messages name parameters, not headers', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  const target = { bucket, key: 'key' };
  const rows: readonly [keyof typeof storage, object, RegExp][] = [
    ['putObject', { ...target, body: '', contentType: 5 }, /^contentType must be /],
    ['putObject', { ...target, body: '', metadata: { 'Foo Bar': '' } }, /^metadata\.Foo Bar is /],
    ['putObject', { ...target, body: '', metadata: { Foo: 1 } }, /^metadata\.Foo must be a string/],
    ['putObject', { ...target, body: '', metadata: new Map([['a', 'b']]) }, /^metadata must be/],
    ['putObject', { ...target, body: '', contentMd5: 'no' }, /^contentMd5 must be /],
    ['putObject', { ...target, body: '', forbidOverwrite: 'true' }, /^forbidOverwrite must be /],
    ['putObject', { ...target, body: '', storageClass: 'X' }, /^storageClass must be one of /],
    ['getObject', { ...target, ifModifiedSince: 'x' }, /^ifModifiedSince must be a valid Date/],
    ['uploadPart', { ...target, body: '', partNumber: 1 }, /^uploadId is missing/],
    ['uploadPart', { ...target, body: '', uploadId: '', partNumber: 1 }, /^uploadId must be /],
    ['uploadPart', { ...target, body: '', uploadId: 'x', partNumber: 0 }, /^partNumber must be /],
    ['copyObject', target, /^source is missing/],
    ['copyObject', { ...target, source: '/a/b' }, /^source must be an object with bucket and key/],
    ['listObjects', { bucket, maxKeys: -1 }, /^maxKeys must be /],
    ['deleteMultipleObjects', { bucket, objects: 5 }, /^objects must be /],
    ['completeMultipartUpload', { ...target, uploadId: 'x', parts: 5 }, /^parts must be /],
    ['putBucketAcl', { bucket }, /^Set either a canned list/],
  ];
  for (const [name, params, message] of rows) {
    const call = storage[name] as unknown as (params: object) => Promise<unknown>;
    const error = await t.throwsAsync(call(params), { instanceOf: StorageError, message });
    t.notRegex(String(error?.message), /header|query|x-svc/, name);
  }
});

test('only the first reader of a result gets its data', async (t) => {
  const { storage } = await onDisk(t);
  await storage.putObject({ bucket, key: 'small', body: 'small' });
  const again = { instanceOf: TypeError, message: /already read\. Call getObject again/ };
  const sizes = { small: 5, large: 3_000_000 };
  for (const [key, size] of Object.entries(sizes)) {
    const get = () => storage.getObject({ bucket, key });
    const sizeOf = async (body: AsyncIterable<Uint8Array>) => {
      let sum = 0;
      for await (const chunk of body) sum += chunk.length;
      return sum;
    };
    const both = await get();
    const [first, second] = await Promise.allSettled([both.bytes(), both.text()]);
    t.is(first.status === 'fulfilled' && first.value.length, size);
    t.is(second.status, 'rejected');
    t.throws(() => both.body, again);
    t.throws(() => both.stream(), again);

    const streamed = await get();
    const stream = streamed.stream();
    await t.throwsAsync(streamed.bytes(), again);
    t.throws(() => streamed.stream(), again);
    t.is(await sizeOf(stream), size);

    const iterated = await get();
    const sum = sizeOf(iterated.body);
    await t.throwsAsync(iterated.bytes(), again);
    t.throws(() => iterated.stream(), again);
    t.is(await sum, size);

    // Accessing the stream does not read it.
    const looked = await get();
    t.false(looked.body.destroyed);
    t.is((await looked.bytes()).length, size);
  }
});
