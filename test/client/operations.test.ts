import { createHash } from 'node:crypto';
import { crc32 as crcOfNode } from 'node:zlib';
import { createClient as createWebClient, StorageError } from '@bucketware/client';
import { createClient } from '@bucketware/client/node';
import test from 'ava';
import { listen } from '../http/servers.js';
import { bucket, bytesOf, open, secret } from './fixtures.js';

const dist = new URL('../../../packages/client/dist/checksums/', import.meta.url);
const { crc32, joinCrc32 } = await import(new URL('crc32.js', dist).href);
const { md5 } = await import(new URL('md5.js', dist).href);

const KEYS = [
  'plain.txt',
  'a/../b',
  './x',
  '//',
  'a b+c%2F?#&',
  '<script>\'"',
  'žluťoučký/kůň 🐎',
  '../x',
];

test('objects with any key can be put, read, described, copied, renamed and deleted', async (t) => {
  const client = (await open(t)).client();
  for (const key of KEYS) {
    const metadata = { author: 'Žofie', empty: '' };
    const put = { bucket, key, body: 'Hello.', contentType: 'text/plain', metadata };
    const { etag, contentCrc32 } = await client.putObject(put);
    t.is(contentCrc32, crcOfNode('Hello.'));
    const object = await client.getObject({ bucket, key });
    t.like(object, { key, size: 6, etag, contentType: 'text/plain', type: 'Normal', contentCrc32 });
    t.deepEqual(object.metadata, { author: 'Žofie' });
    t.is(await object.text(), 'Hello.');
    const part = await client.getObject({ bucket, key, range: 'bytes=1-2', ifMatch: etag });
    t.deepEqual([part.size, await part.text()], [6, 'el']);
    const copy = await client.copyObject({
      bucket,
      key: `copy of ${key}`,
      source: { bucket, key },
    });
    t.is(copy.etag, etag);
    t.true(copy.lastModified instanceof Date);
    await client.renameObject({ bucket, key: 'renamed', from: `copy of ${key}` });
    t.is((await client.getObjectMeta({ bucket, key: 'renamed' })).etag, etag);
    const listed = await client.listObjects({ bucket, prefix: key });
    t.like(listed.contents[0], { key, size: 6, etag });
    await client.deleteObject({ bucket, key });
    await client.deleteObject({ bucket, key: 'renamed' });
  }
  const left = await client.listObjects({ bucket });
  t.deepEqual(left.contents, []);
  for (const key of ['.', '..']) {
    await t.throwsAsync(() => client.putObject({ bucket, key, body: '' }), {
      instanceOf: TypeError,
    });
  }
});

test('an unchanged object is NotModified, in browsers too', async (t) => {
  const { client } = await open(t);
  const name = { bucket, key: 'k' };
  const { etag } = await client().putObject({ ...name, body: 'data' });
  const authorization = 'Bearer alice';
  const browser = { authorization, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' };
  for (const headers of [{ authorization }, browser]) {
    const reader = client({ headers });
    for (const ifNoneMatch of [etag, `"${etag}"`, `"x", W/"${etag}"`, '*']) {
      for (const read of [reader.getObject, reader.getObjectMeta]) {
        const error = await t.throwsAsync<StorageError>(
          read.call(reader, { ...name, ifNoneMatch }),
          undefined,
          ifNoneMatch,
        );
        t.like(error, { code: 'NotModified', status: 304 });
      }
    }
    t.is(await (await reader.getObject({ ...name, ifNoneMatch: '"other"' })).text(), 'data');
    t.is((await reader.getObjectMeta({ ...name, ifNoneMatch: 'other' })).size, 4);
  }
});

test('an error has a code, a status, a message and the id of its request', async (t) => {
  const client = (await open(t)).client();
  const error = await t.throwsAsync<StorageError>(client.getObject({ bucket, key: 'none' }));
  t.true(error instanceof StorageError);
  t.like(error, { code: 'NoSuchKey', status: 404 });
  t.regex(error?.requestId ?? '', /./);
  t.is(
    (await t.throwsAsync<StorageError>(client.headBucket({ bucket: 'none' })))?.code,
    'NotFound',
  );
  const put = client.putObject({ bucket, key: 'k', body: 'a', contentCrc32: 1 });
  t.is((await t.throwsAsync<StorageError>(put))?.code, 'BadDigest');
  await client.putObject({ bucket, key: 'k', body: 'a' });
  const again = client.putObject({ bucket, key: 'k', body: 'b', ifNoneMatch: '*' });
  t.is((await t.throwsAsync<StorageError>(again))?.code, 'PreconditionFailed');
});

test('a server that cannot be reached, and one that requires a login, are reported clearly', async (t) => {
  const nobody = createClient({ endpoint: 'http://127.0.0.1:1/storage', retry: false });
  t.like(await t.throwsAsync<StorageError>(nobody.listBuckets()), {
    code: 'NetworkError',
    status: 0,
  });
  const login = (status: number) => async () => new Response('<p>Log in', { status });
  const client = createClient({ endpoint: 'http://localhost', fetch: login(401) });
  const error = await t.throwsAsync<StorageError>(client.listBuckets());
  t.like(error, { code: 'Unauthorized', status: 401 });
  t.regex(error?.message ?? '', /Log in/);
});

test('a request without a response is repeated, unless it could take effect twice', async (t) => {
  const requests: string[] = [];
  const server = await listen((req, res) => {
    requests.push(req.method ?? '');
    res.setHeader('x-svc-request-id', 'one');
    if (requests.length > 1) res.end('{"locationConstraint":"here"}');
  });
  t.teardown(server.close);
  const options = { endpoint: server.origin, timeout: 1000, retry: { firstDelay: 5 } };
  t.is((await createClient(options).getBucketLocation({ bucket })).locationConstraint, 'here');
  t.true(requests.length > 1);
  requests.length = 0;
  const rename = createClient(options).renameObject({ bucket, key: 'a', from: 'b' });
  t.is((await t.throwsAsync<StorageError>(rename))?.code, 'NetworkError');
  t.deepEqual(requests, ['POST']);
});

test('a 503 or 429 that is not from the storage does not mean that nothing was done', async (t) => {
  const { storage, client } = await open(t);
  const log = { bucket, key: 'log' };
  const other = { bucket, key: 'k' };
  const read = async (name: typeof log) => (await storage.getObject(name)).text();
  const ofApp = JSON.stringify({ code: 'ETIMEDOUT', message: 'Response timeout' });
  let expected = 'start;';
  await client().append({ ...log, body: expected });
  for (const [status, page] of [
    [503, '<h1>Backend fetch failed'],
    [503, ofApp],
    [429, ''],
  ] as const) {
    let changes = 0;
    // The request goes on behind the proxy, and another client comes before the next attempt.
    const replacing: typeof fetch = async (...given) => {
      const response = await fetch(...given);
      if (['GET', 'HEAD'].includes(given[1]?.method ?? '') || changes++ > 0) return response;
      if (given[1]?.method === 'DELETE') await client().putObject({ ...other, body: 'new' });
      const headers = { 'retry-after': '0', 'x-svc-request-id': 'one' };
      return new Response(page, { status, headers });
    };
    await client({ fetch: replacing }).append({ ...log, body: 'once;' });
    expected += 'once;';
    t.is(await read(log), expected);
    await client().putObject({ ...other, body: 'old' });
    changes = 0;
    const deletion = client({ fetch: replacing }).deleteObject(other);
    t.is((await t.throwsAsync<StorageError>(deletion))?.status, status);
    t.deepEqual([changes, await read(other)], [1, 'new']);
  }
});

test('a request is repeated after a 503 of the storage, even if it must not be carried out twice', async (t) => {
  let requests = 0;
  const server = await listen((_req, res) => {
    res.setHeader('x-svc-request-id', 'one');
    if (requests++ > 0) res.writeHead(204).end();
    else res.writeHead(503).end('{"code":"SlowDown","message":"Try again.","requestId":"one"}');
  });
  t.teardown(server.close);
  const client = createClient({ endpoint: server.origin, retry: { firstDelay: 5 } });
  await client.deleteObject({ bucket, key: 'k' });
  t.is(requests, 2);
});

test('listings iterate over all pages', async (t) => {
  const { storage, client: make } = await open(t);
  const client = make();
  const keys = Array.from({ length: 25 }, (_, at) => `k${String(at).padStart(2, '0')}`);
  for (const key of keys) await storage.putObject({ bucket, key, body: key });
  const found: string[] = [];
  for await (const { key } of client.objects({ bucket, maxKeys: 10 })) found.push(key);
  t.deepEqual(found, keys);
  const key = 'large';
  for (let count = 0; count < 5; count++) await client.initiateMultipartUpload({ bucket, key });
  const ids = new Set<string>();
  for await (const { uploadId } of client.uploads({ bucket, maxUploads: 2 })) ids.add(uploadId);
  t.is(ids.size, 5);
  const [uploadId = ''] = ids;
  for (const partNumber of [1, 2, 3])
    await client.uploadPart({ bucket, key, uploadId, partNumber, body: 'x' });
  const numbers: number[] = [];
  for await (const part of client.parts({ bucket, key, uploadId, maxParts: 2 }))
    numbers.push(part.partNumber);
  t.deepEqual(numbers, [1, 2, 3]);
  const failed = await client.deleteMultipleObjects({
    bucket,
    objects: [{ key: 'k00' }, { key: 'none' }],
  });
  t.deepEqual(
    failed.errors.map(({ key, code }) => [key, code]),
    [['none', 'NoSuchKey']],
  );
  const { contents } = await client.listObjects({ bucket, prefix: 'k01' });
  t.deepEqual(await client.deleteMultipleObjects({ bucket, objects: contents }), { errors: [] });
});

test('parts are uploaded, copied, completed and aborted', async (t) => {
  const client = (await open(t)).client();
  const body = bytesOf(120_000);
  await client.putObject({ bucket, key: 'source', body });
  const upload = {
    bucket,
    key: 'joined',
    ...(await client.initiateMultipartUpload({ bucket, key: 'joined' })),
  };
  const first = await client.uploadPart({ ...upload, partNumber: 1, body });
  const copied = { source: { bucket, key: 'source' }, range: 'bytes=0-9' };
  const second = await client.uploadPartCopy({ ...upload, partNumber: 2, ...copied });
  const parts = [first, second].map(({ etag }, at) => ({ partNumber: at + 1, etag }));
  const done = await client.completeMultipartUpload({ ...upload, parts });
  const joined = await client.getObject({ bucket, key: 'joined' });
  t.is(joined.etag, done.etag);
  t.true(Buffer.concat([body, body.subarray(0, 10)]).equals(await joined.bytes()));
  const other = {
    bucket,
    key: 'x',
    ...(await client.initiateMultipartUpload({ bucket, key: 'x' })),
  };
  await client.abortMultipartUpload(other);
  t.is((await t.throwsAsync<StorageError>(client.listParts(other)))?.code, 'NoSuchUpload');
});

test('buckets and their settings are set, read and removed', async (t) => {
  const client = (await open(t)).client();
  await client.putBucket({ bucket: 'second', acl: 'public-read' });
  await client.headBucket({ bucket: 'second' });
  t.deepEqual(await client.getBucketLocation({ bucket: 'second' }), {
    locationConstraint: 'local',
  });
  const { buckets, owner } = await client.listBuckets({ prefix: 'sec' });
  t.deepEqual(
    buckets.map(({ name }) => name),
    ['second'],
  );
  t.is(owner.displayName, 'Alice');
  t.true(buckets[0]?.creationDate instanceof Date);
  t.is((await client.getBucketAcl({ bucket: 'second' })).accessControlList.length, 2);
  const grant = {
    grantee: [{ id: 'u-bob' }],
    permission: ['READ'],
    resource: ['second/inbox/*'],
  } as const;
  await client.putBucketAcl({ bucket: 'second', accessControlList: [grant] });
  t.like((await client.getBucketAcl({ bucket: 'second' })).accessControlList[0], {
    permission: ['READ'],
  });
  const rule = { allowedOrigins: ['https://example.com'], allowedMethods: ['GET' as const] };
  await client.putBucketCors({ bucket: 'second', corsConfiguration: [rule] });
  t.like((await client.getBucketCors({ bucket: 'second' })).corsConfiguration[0], rule);
  await client.deleteBucketCors({ bucket: 'second' });
  const time = { dateGreaterThan: '$(lastModified)+P7D' };
  const lifecycle = { id: 'old', status: 'enabled', resource: ['second/tmp/*'] } as const;
  const kept = { ...lifecycle, condition: { time }, action: { name: 'DeleteObject' } } as const;
  await client.putBucketLifecycle({ bucket: 'second', rule: [kept] });
  t.deepEqual(await client.getBucketLifecycle({ bucket: 'second' }), { rule: [kept] });
  await client.deleteBucketLifecycle({ bucket: 'second' });
  const object = { bucket: 'second', key: 'k' };
  await client.putObject({
    ...object,
    body: '',
    grantRead: [{ id: 'u-bob' }, { id: 'u-c', tenantId: '2' }],
  });
  t.like((await client.getObjectAcl(object)).accessControlList[0], { permission: ['READ'] });
  await client.putObjectAcl({ ...object, acl: 'public-read' });
  await client.deleteObjectAcl(object);
  t.is(
    (await t.throwsAsync<StorageError>(client.getObjectAcl(object)))?.code,
    'ObjectAclNotExists',
  );
  await client.deleteObject(object);
  await client.deleteBucket({ bucket: 'second' });
});

test('an access key signs requests and links, whatever the key and the headers', async (t) => {
  const setting = await open(t);
  const signer = { accessKey: 'AKALICE', secret };
  const client = setting.client({ headers: {}, signer });
  for (const key of KEYS) {
    await client.putObject({ bucket, key, body: key, metadata: { name: 'Žofie  Ü' } });
    const url = await client.presign({
      action: 'getObject',
      bucket,
      key,
      responseContentType: 'text/x',
    });
    const response = await fetch(url);
    t.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/x']);
    t.is(await response.text(), key);
    await client.copyObject({ bucket, key: 'copy', source: { bucket, key } });
  }
  t.is(
    (await client.listObjects({ bucket, prefix: 'žluť', delimiter: '/' })).commonPrefixes?.length,
    1,
  );
  const wrong = setting.client({ headers: {}, signer: { ...signer, secret: 'wrong' } });
  t.is((await t.throwsAsync<StorageError>(wrong.listBuckets()))?.code, 'SignatureDoesNotMatch');
  const put = await client.presign({
    action: 'putObject',
    bucket,
    key: 'by link',
    contentType: 'text/css',
  });
  t.is(
    (await fetch(put, { method: 'PUT', body: 'x', headers: { 'content-type': 'text/css' } }))
      .status,
    200,
  );
  t.is(
    (await fetch(put, { method: 'PUT', body: 'x', headers: { 'content-type': 'text/html' } }))
      .status,
    403,
  );
});

test('the checksums of browsers are those of Node', (t) => {
  for (const size of [0, 1, 7, 8, 55, 56, 63, 64, 65, 119, 120, 1000, 100_003]) {
    const bytes = bytesOf(size + 3).subarray(3);
    t.is(md5(bytes), createHash('md5').update(bytes).digest('hex'));
    t.is(crc32(bytes), crcOfNode(bytes));
    const [head, tail] = [bytes.subarray(0, size >> 1), bytes.subarray(size >> 1)];
    t.is(crc32(tail, crc32(head)), crcOfNode(bytes));
    t.is(joinCrc32(crc32(head), crc32(tail), tail.length), crcOfNode(bytes));
  }
});

test('nothing is stored with an object that its caller did not give', async (t) => {
  const { endpoint } = await open(t);
  const client = createWebClient({ endpoint, headers: { authorization: 'Bearer alice' } });
  const object = { bucket, key: 'k' };
  const cacheControl = async () => (await client.getObjectMeta(object)).cacheControl;
  // The fetch of browsers and Node adds a Cache-Control for some modes of its cache.
  const plain = await fetch(`${endpoint}/${bucket}/k`, {
    method: 'PUT',
    headers: { authorization: 'Bearer alice' },
    body: 'x',
  });
  t.is(plain.status, 200);
  const usual = await cacheControl();
  const large = bytesOf(5 * 1024 * 1024);
  for (const store of [
    () => client.putObject({ ...object, body: 'x' }),
    () => client.upload({ ...object, body: 'x' }),
    () => client.upload({ ...object, body: large, partSize: 1024 * 1024 }),
    () => client.copyObject({ ...object, source: object, metadataDirective: 'replace' }),
  ]) {
    await store();
    t.is(await cacheControl(), usual);
  }
  await client.append({ bucket, key: 'log', body: 'x' });
  t.is((await client.getObjectMeta({ bucket, key: 'log' })).cacheControl, usual);
  await client.putObject({ ...object, body: 'x', cacheControl: 'max-age=9' });
  t.regex((await cacheControl()) ?? '', /max-age=9/);
});
