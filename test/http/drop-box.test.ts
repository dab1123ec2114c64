import {
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { call, type RawOptions } from './raw.js';
import { alice, bob, listen, onKoa } from './servers.js';

const bucket = 'bucket';
const TO_BOB = { grantee: [{ id: bob.userId }] };
const denied = { ...TO_BOB, permission: ['MODIFY'], effect: 'Deny' } as const;

/** A bucket of alice to which bob may add objects. Alice's are `a` and the appendable `log`. */
async function serve(t: ExecutionContext, granted: readonly string[]) {
  const storage = await createObjectStorage({
    metadata: memoryMetadata(),
    blobs: memoryBlobs(),
    sweepEvery: false,
    uniqueUserIds: true,
  });
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket });
  await storage.putObject({ bucket, key: 'a', body: 'a' });
  await storage.appendObject({ bucket, key: 'log', body: 'log' });
  await storage.putBucketAcl({
    bucket,
    accessControlList: [{ ...TO_BOB, permission: [...granted] }, denied],
  });
  const send = (method: string, path: string, options: RawOptions = {}) =>
    call(origin, method, path, { as: 'bob', ...options });
  const code = async (...request: Parameters<typeof send>) => {
    const { status, text } = await send(...request);
    return text === '' ? status : (JSON.parse(text).code ?? status);
  };
  return { storage, send, code };
}

const unchanged = async (t: ExecutionContext, storage: ObjectStorage, what: string) => {
  for (const key of ['a', 'log']) {
    const found = await storage.getObject({ bucket, key });
    t.is(String(await found.bytes()), key, what);
    t.deepEqual(found.metadata, {}, what);
  }
};

const COPY = { 'x-svc-copy-source': '/bucket/a', 'content-length': 0 };

for (const granted of [['READ', 'WRITE'], ['FULL_CONTROL'], ['READ', 'MODIFY', 'WRITE']]) {
  test(`with a Deny of MODIFY, ${granted.join(', ')} creates a drop box`, async (t) => {
    const { storage, code } = await serve(t, granted);
    const replace = { ...COPY, 'x-svc-metadata-directive': 'replace', 'x-svc-meta-m': '1' };
    const list = JSON.stringify({ objects: [{ key: 'a' }] });
    for (const [method, path, options] of [
      ['PUT', '/bucket/a', { body: 'forged' }],
      ['POST', '/bucket/a?append', { body: 'forged' }],
      ['POST', '/bucket/log?append&offset=3', { body: 'forged' }],
      ['PUT', '/bucket/log', { headers: COPY }],
      ['PUT', '/bucket/a', { headers: replace }],
      ['POST', '/bucket/a?uploads', {}],
      ['DELETE', '/bucket/a', {}],
      ['POST', '/bucket/free', { headers: { 'x-svc-rename-key': 'a' } }],
      // These do not reveal what exists: none of them could add anything.
      ['DELETE', '/bucket/absent', {}],
      ['POST', '/bucket/absent?append&offset=3', { body: 'x' }],
      ['POST', '/bucket/free', { headers: { 'x-svc-rename-key': 'absent' } }],
    ] as const) {
      t.is(await code(method, path, options), 'AccessDenied', `${method} ${path}`);
      await unchanged(t, storage, `${method} ${path}`);
    }
    const { errors } = await storage
      .as(bob)
      .deleteMultipleObjects({ objects: JSON.parse(list).objects, bucket });
    t.deepEqual(
      errors.map((error) => error.code),
      ['AccessDenied'],
    );
    await unchanged(t, storage, 'a batch');

    for (const [method, path, options] of [
      ['PUT', '/bucket/put', { body: 'x' }],
      ['POST', '/bucket/appended?append', { body: 'x' }],
      ['PUT', '/bucket/copied', { headers: COPY }],
    ] as const) {
      t.is(await code(method, path, options), 200, path);
      t.is(await code(method, path, options), 'AccessDenied', `${path} again`);
    }
  });
}

test('an upload in parts can add an object to a drop box, but not replace one', async (t) => {
  const { storage, code } = await serve(t, ['WRITE']);
  const dropping = storage.as(bob);
  for (const [key, taken] of [
    ['free', false],
    ['taken', true],
  ] as const) {
    const { uploadId } = await dropping.initiateMultipartUpload({ bucket, key });
    const upload = { bucket, key, uploadId };
    const { etag } = await dropping.uploadPart({ ...upload, partNumber: 1, body: 'x' });
    if (taken) await storage.putObject({ bucket, key, body: 'hers' });
    const body = JSON.stringify({ parts: [{ partNumber: 1, eTag: etag }] });
    const complete = () => code('POST', `/bucket/${key}?uploadId=${uploadId}`, { body });
    t.is(await complete(), taken ? 'AccessDenied' : 200);
    t.is(await complete(), taken ? 'AccessDenied' : 200, 'again');
    if (taken) await dropping.abortMultipartUpload(upload);
  }
  t.is(String(await (await storage.getObject({ bucket, key: 'taken' })).bytes()), 'hers');
});

test('a Deny of MODIFY for some keys protects them from being replaced by a rename', async (t) => {
  const { storage, code } = await serve(t, ['READ', 'WRITE']);
  const archive = { ...denied, resource: [`${bucket}/archive/*`] };
  const accessControlList = [{ ...TO_BOB, permission: ['READ', 'WRITE'] }, archive];
  await storage.putBucketAcl({ bucket, accessControlList });
  await storage.putObject({ bucket, key: 'archive/old', body: 'old' });
  const rename = (from: string, to: string) =>
    code('POST', `/bucket/${to}`, { headers: { 'x-svc-rename-key': from } });
  t.is(await rename('a', 'archive/old'), 'AccessDenied');
  t.is(await rename('archive/old', 'free'), 'AccessDenied');
  t.is(await rename('a', 'archive/new'), 200);
  t.is(await rename('archive/new', 'a'), 'AccessDenied');
});

test('a Deny of MODIFY that is set while a body arrives applies to the commit', async (t) => {
  const { storage } = await serve(t, ['WRITE']);
  const open = { ...TO_BOB, permission: ['WRITE'] };
  const dropping = storage.as(bob);
  async function* slowly() {
    yield Buffer.from('forged');
    await storage.putBucketAcl({ bucket, accessControlList: [open, denied] });
  }
  for (const attempt of [
    () => dropping.putObject({ bucket, key: 'a', body: slowly() }),
    () => dropping.appendObject({ bucket, key: 'log', offset: 3, body: slowly() }),
  ]) {
    await storage.putBucketAcl({ bucket, accessControlList: [open] });
    await t.throwsAsync(attempt(), { message: /not change or replace/ });
    await unchanged(t, storage, 'while the body was under way');
  }
});

test('an append returns only what the interface requires to a caller without READ', async (t) => {
  const { storage, send } = await serve(t, ['WRITE']);
  await storage.appendObject({ bucket, key: 'own', body: 'log', metadata: { a: '1' } });
  const append = async (offset: number, ...permission: string[]) => {
    await storage.putBucketAcl({ bucket, accessControlList: [{ ...TO_BOB, permission }] });
    return send('POST', `/bucket/own?append&offset=${offset}`, { body: 'x' });
  };
  const blind = await append(3, 'WRITE');
  t.is(blind.status, 200);
  t.is(blind.headers['x-svc-next-append-offset'], '4');
  t.is(typeof blind.headers.etag, 'string');
  t.is(typeof blind.headers['content-md5'], 'string');
  t.is(blind.headers['x-svc-content-crc32'], undefined);
  const known = await append(4, 'WRITE', 'READ');
  t.is(typeof known.headers['x-svc-content-crc32'], 'string');

  const asProgram = () =>
    storage.as(bob).appendObject({ bucket, key: 'own', body: 'x', offset: 6 });
  await append(5, 'WRITE');
  const { contentType, contentCrc32, metadata, size } = await asProgram();
  t.deepEqual([contentType, contentCrc32, metadata, size], [undefined, undefined, {}, 7]);
});

test('FULL_CONTROL in the list of an object allows neither renaming nor deleting it', async (t) => {
  const { storage, code } = await serve(t, ['WRITE']);
  await storage.putBucketAcl({
    bucket,
    accessControlList: [
      { ...TO_BOB, permission: ['WRITE'], resource: [`${bucket}/free*`] },
      { ...TO_BOB, permission: ['READ'] },
    ],
  });
  const accessControlList = [{ ...TO_BOB, permission: ['FULL_CONTROL'] }];
  await storage.putObjectAcl({ bucket, key: 'a', accessControlList });
  t.is(await code('GET', '/bucket/a?acl'), 200);
  t.is(await code('PUT', '/bucket/a', { body: 'forged' }), 'AccessDenied');
  t.is(await code('DELETE', '/bucket/a'), 'AccessDenied');
  const headers = { 'x-svc-rename-key': 'a' };
  t.is(await code('POST', '/bucket/free', { headers }), 'AccessDenied');
  await unchanged(t, storage, 'a rename');
});
