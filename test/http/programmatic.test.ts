import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ErrorCode, type ObjectStorage, StorageError, SYSTEM } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { alice, bob, memoryStorage } from './servers.js';

const bucket = 'bucket';

/** The list of objects for DeleteMultipleObjects. */
const listed = (...keys: string[]) => keys.map((key) => ({ key }));

async function prepared(): Promise<ObjectStorage> {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  return storage;
}

async function fails(
  t: ExecutionContext,
  promise: Promise<unknown>,
  code: ErrorCode,
): Promise<StorageError | undefined> {
  const error = await t.throwsAsync<StorageError>(promise, { instanceOf: StorageError });
  t.is(error?.code, code);
  return error;
}

test('data is accepted as text, bytes and streams, and returned as bytes and streams', async (t) => {
  const storage = await prepared();
  const large = Buffer.alloc(300_000, 'large');
  async function* chunks() {
    for (let at = 0; at < large.length; at += 70_001) yield large.subarray(at, at + 70_001);
  }
  const rows = [
    ['grün 😀', Buffer.from('grün 😀')],
    ['', Buffer.alloc(0)],
    [new Uint8Array([0, 1, 255]), Buffer.from([0, 1, 255])],
    [large, large],
    [Readable.from(chunks(), { objectMode: false }), large],
    [chunks(), large],
    [Readable.from([]), Buffer.alloc(0)],
  ] as const;
  for (const [at, [body, expected]] of rows.entries()) {
    const stored = await storage.putObject({ bucket, key: `${at}`, body });
    t.is(stored.size, expected.length);
    t.is(stored.etag, createHash('md5').update(expected).digest('hex'));
    const found = await storage.getObject({ bucket, key: `${at}` });
    t.true(expected.equals(await found.bytes()));
    const streamed: Uint8Array[] = [];
    for await (const chunk of (await storage.getObject({ bucket, key: `${at}` })).body) {
      streamed.push(chunk as Uint8Array);
    }
    t.true(expected.equals(Buffer.concat(streamed)));
  }
});

test('headers and metadata in any script are returned unchanged', async (t) => {
  const storage = await prepared();
  const given = {
    contentType: 'text/plain',
    contentEncoding: 'identity',
    contentLanguage: 'de',
    contentDisposition: 'attachment; filename="отчёт 报告.txt"',
    cacheControl: 'no-cache',
    expires: 'Sat, 01 Jan 2050 00:00:00 GMT',
  };
  const metadata = { author: 'Jürgen 你好 😀', accent: 'voilà', constructor: 'c', empty: '' };
  const storageClass = 'COLD';
  const params = { bucket, key: 'key', body: 'x', ...given, metadata, storageClass } as const;
  const stored = await storage.putObject(params);
  const meta = await storage.getObjectMeta({ bucket, key: 'key' });
  const whole = await storage.getObject({ bucket, key: 'key' });
  for (const object of [stored, meta, whole]) {
    for (const [name, value] of Object.entries(given)) {
      t.is(object[name as keyof typeof given], value);
    }
    t.deepEqual({ ...object.metadata }, metadata);
    t.is(object.storageClass, storageClass);
    t.is(object.type, 'Normal');
    t.is(object.size, 1);
    t.true(object.lastModified instanceof Date);
  }
});

test('metadata named __proto__ is stored like any other', async (t) => {
  const storage = await prepared();
  const metadata = JSON.parse('{"__proto__": "mine"}');
  await storage.putObject({ bucket, key: 'key', body: '', metadata });
  const found = (await storage.getObjectMeta({ bucket, key: 'key' })).metadata;
  t.deepEqual(Object.entries(found), [['__proto__', 'mine']]);
});

test('ranges, conditions and If-Range work as over HTTP, with dates as Date', async (t) => {
  const storage = await prepared();
  const key = 'key';
  const { etag, lastModified } = await storage.putObject({ bucket, key, body: '0123456789' });
  const get = async (params: object) =>
    (await (await storage.getObject({ bucket, key, ...params })).bytes()).toString();
  t.is(await get({ range: 'bytes=2-4' }), '234');
  t.is(await get({ range: 'bytes=-2', ifRange: etag }), '89');
  t.is(await get({ range: 'bytes=-2', ifRange: 'other' }), '0123456789');
  t.is(await get({ ifMatch: etag, ifModifiedSince: new Date(+lastModified - 1000) }), '0123456789');
  const part = await storage.getObject({ bucket, key, range: 'bytes=2-' });
  t.deepEqual(part.range, { start: 2, end: 10 });
  t.is(part.size, 10);
  await fails(t, get({ ifNoneMatch: etag }), 'NotModified');
  await fails(t, get({ ifMatch: 'other' }), 'PreconditionFailed');
  await fails(t, get({ ifModifiedSince: lastModified }), 'NotModified');
  await fails(t, get({ ifUnmodifiedSince: new Date(0) }), 'PreconditionFailed');
  const error = await fails(t, get({ range: 'bytes=10-' }), 'InvalidRange');
  t.is(error?.status, 416);
  for (const range of ['0-9', 'bytes 0-9', 'bytes: 0-9', 'items=0-9', '']) {
    t.regex((await fails(t, get({ range }), 'InvalidRange'))?.message ?? '', /bytes=0-9/, range);
  }
  await fails(t, get({ ifModifiedSince: new Date(Number.NaN) }), 'InvalidArgument');
  await fails(t, get({ ifModifiedSince: 'yesterday' }), 'InvalidArgument');
});

test('a program may create its bucket each time that it starts, but not that of somebody else', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const other = { ...bob, userId: alice.userId };
  for (const client of [storage, storage.as(alice)]) {
    const name = client === storage ? 'of-the-app' : 'of-alice';
    await client.putBucket({ bucket: name, acl: 'public-read' });
    await client.putObject({ bucket: name, key: 'key', body: '1' });
    await client.putBucket({ bucket: name });
    await client.putBucket({ bucket: name, acl: 'public-read' });
    t.is((await client.listObjects({ bucket: name })).contents.length, 1);
    const { accessControlList } = await client.getBucketAcl({ bucket: name });
    t.true(accessControlList.some(({ grantee }) => grantee.some(({ id }) => id === '*')));
    await fails(t, client.putBucket({ bucket: name, acl: 'private' }), 'BucketAlreadyExists');
    await fails(t, client.putBucket({ bucket: name, tags: { a: '1' } }), 'BucketAlreadyExists');
    for (const stranger of [storage, storage.as(alice), storage.as(bob), storage.as(other)]) {
      if (stranger === client || (client !== storage && stranger !== storage)) continue;
      await fails(t, stranger.putBucket({ bucket: name }), 'BucketAlreadyExists');
    }
  }
  for (const stranger of [bob, other]) {
    await fails(t, storage.as(stranger).putBucket({ bucket: 'of-alice' }), 'BucketAlreadyExists');
  }
});

test('the checks are those of HTTP', async (t) => {
  const storage = await prepared();
  const put = (params: object) =>
    storage.putObject({ bucket, key: 'key', body: 'hello', ...params });
  await fails(t, storage.putBucket({ bucket: 'No' }), 'InvalidBucketName');
  await fails(t, storage.putBucket({} as never), 'InvalidBucketName');
  await fails(t, put({ bucket: 'missing' }), 'NoSuchBucket');
  for (const key of ['', 'a\0', 'x'.repeat(1024), '\ud800', undefined, 1, null, ['a']]) {
    await fails(t, put({ key }), 'InvalidObjectName');
  }
  for (const body of [undefined, null, 5, {}, true]) {
    await fails(t, put({ body }), 'InvalidArgument');
  }
  for (const contentType of ['a\r\nb', 'a\0', 5, null]) {
    await fails(t, put({ contentType }), 'InvalidArgument');
  }
  for (const metadata of [{ a: 'x\ny' }, { 'a b': '' }, { '': '' }, { a: 1 }, { A: '1', a: '2' }]) {
    await fails(t, put({ metadata }), 'InvalidArgument');
  }
  await fails(t, put({ metadata: { a: 'x'.repeat(2048) } }), 'MetadataTooLarge');
  await fails(t, put({ storageClass: 'GLACIER' }), 'InvalidArgument');
  await fails(t, put({ contentMd5: 'AAAAAAAAAAAAAAAAAAAAAA==' }), 'BadDigest');
  await fails(t, put({ contentSha256: 'no' }), 'BadDigest');
  await fails(t, put({ contentCrc32: 1 }), 'BadDigest');
  await fails(t, put({ contentLength: 4 }), 'RequestTimeout');
  await fails(t, put({ contentLength: 6 }), 'RequestTimeout');
  await fails(t, put({ contentLength: 5 * 1024 ** 3 + 1 }), 'EntityTooLarge');
  await fails(t, put({ ifMatch: '*' }), 'PreconditionFailed');
  for (const maxKeys of [-1, 1.5, Number.NaN, '5', Number.POSITIVE_INFINITY]) {
    await fails(t, storage.listObjects({ bucket, maxKeys } as never), 'InvalidArgument');
  }
  await fails(t, storage.listObjects({ bucket, delimiter: 'ab' }), 'InvalidArgument');
  await fails(t, storage.getObject({ bucket, key: 'key' }), 'NoSuchKey');
  await fails(t, storage.deleteObject({ bucket, key: 'key' }), 'NoSuchKey');
  await storage.putObject({ bucket, key: 'key', body: 'hello', contentCrc32: 907_060_870 });
  await fails(t, storage.deleteBucket({ bucket }), 'BucketNotEmpty');
});

test('a body that fails rejects with its own error, and leaves nothing', async (t) => {
  const storage = await prepared();
  await storage.putObject({ bucket, key: 'key', body: 'old' });
  for (const size of [10, 200_000]) {
    const mishap = new Error('the source broke');
    async function* failing() {
      yield Buffer.alloc(size);
      throw mishap;
    }
    const error = await t.throwsAsync(storage.putObject({ bucket, key: 'key', body: failing() }));
    t.is(error, mishap);
  }
  t.is((await (await storage.getObject({ bucket, key: 'key' })).bytes()).toString(), 'old');
  const { blobs, missing, orphans } = await storage.check();
  t.deepEqual({ blobs, missing, orphans }, { blobs: 0, missing: [], orphans: [] });
});

test('listObjects returns pages that nextMarker connects', async (t) => {
  const storage = await prepared();
  const keys = ['a/1', 'a/2', 'b', 'c/1', 'd', 'é', '\uffff', '😀'];
  for (const key of keys.toReversed()) await storage.putObject({ bucket, key, body: key });
  const found: string[] = [];
  for (let marker: string | undefined; ; ) {
    const page = await storage.listObjects({ bucket, maxKeys: 3, marker });
    found.push(...page.contents.map(({ key }) => key));
    t.is(page.isTruncated, page.nextMarker !== undefined);
    marker = page.nextMarker;
    if (!page.isTruncated) break;
  }
  t.deepEqual(found, keys);
  const folders = await storage.listObjects({ bucket, delimiter: '/', maxKeys: 1000 });
  t.deepEqual(
    folders.commonPrefixes.map(({ prefix }) => prefix),
    ['a/', 'c/'],
  );
  const [first] = folders.contents;
  t.is(first?.key, 'b');
  t.true(first?.lastModified instanceof Date);
  t.deepEqual(first?.owner, { id: SYSTEM.userId, displayName: SYSTEM.userName });
});

test('deleteMultipleObjects returns only failures', async (t) => {
  const storage = await prepared();
  await storage.putObject({ bucket, key: 'a', body: '' });
  const objects = listed('a', 'no', 'a');
  const { errors } = await storage.deleteMultipleObjects({ bucket, objects });
  t.deepEqual(
    errors.map(({ key, code }) => [key, code]),
    [['no', 'NoSuchKey']],
  );
  const none = storage.deleteMultipleObjects({ bucket, objects: listed() });
  await fails(t, none, 'InvalidArgument');
});

test('as() acts for a caller; the storage itself acts for the host, which may do everything', async (t) => {
  const storage = await memoryStorage();
  const mine = storage.as(alice);
  await mine.putBucket({ bucket });
  await mine.putObject({ bucket, key: 'key', body: 'x' });
  for (const outsider of [storage.as(bob), storage.as(undefined)]) {
    await fails(t, outsider.getObject({ bucket, key: 'key' }), 'AccessDenied');
    await fails(t, outsider.putObject({ bucket, key: 'key', body: 'y' }), 'AccessDenied');
    await fails(t, outsider.listObjects({ bucket }), 'AccessDenied');
    await fails(t, outsider.deleteBucket({ bucket }), 'AccessDenied');
    const objects = listed('key');
    await fails(t, outsider.deleteMultipleObjects({ bucket, objects }), 'AccessDenied');
  }
  await fails(t, storage.as(undefined).listBuckets(), 'AccessDenied');
  await fails(t, storage.as({ ...alice, tenantId: '2' }).headBucket({ bucket }), 'AccessDenied');
  t.is((await (await storage.getObject({ bucket, key: 'key' })).bytes()).toString(), 'x');
  const { buckets, owner } = await mine.listBuckets();
  t.deepEqual([buckets.length, owner.id], [1, 'u-alice']);
  t.is((await storage.listBuckets()).buckets.length, 0);
  t.deepEqual((await storage.headBucket({ bucket })).owner, alice);
});

test('a principal may own a limited number of buckets; one more is TooManyBuckets', async (t) => {
  const storage = await memoryStorage({ maxBucketsPerOwner: 2 });
  await storage.as(alice).putBucket({ bucket: 'one' });
  await storage.as(alice).putBucket({ bucket: 'two' });
  await fails(t, storage.as(alice).putBucket({ bucket: 'three' }), 'TooManyBuckets');
  await storage.as(bob).putBucket({ bucket: 'three' });
  await storage.as(alice).deleteBucket({ bucket: 'one' });
  await storage.as(alice).putBucket({ bucket: 'four' });
  t.is((await storage.as(alice).listBuckets()).buckets.length, 2);
});

test('the bucket limit also applies to concurrent creations', async (t) => {
  const storage = await memoryStorage({ maxBucketsPerOwner: 3 });
  const attempts = Array.from({ length: 10 }, (_, at) =>
    storage.as(alice).putBucket({ bucket: `bucket-${at}` }),
  );
  await Promise.allSettled(attempts);
  t.is((await storage.as(alice).listBuckets()).buckets.length, 3);
});
