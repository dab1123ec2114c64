import type { AccessQuestion } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { call, type RawOptions } from './raw.js';
import { alice, bob, listen, memoryStorage, onKoa } from './servers.js';

const bucket = 'bucket';
const EVERYBODY = [{ id: '*' }];
const BOB = [{ id: 'u-bob' }];

async function serve(
  t: ExecutionContext,
  settings: Parameters<typeof memoryStorage>[0] = {},
  rule: (question: AccessQuestion) => boolean = ({ allowed }) => allowed,
) {
  const storage = await memoryStorage(settings);
  const questions: string[] = [];
  const authorize = (question: AccessQuestion) => {
    questions.push(`${question.operation} ${question.permission}`);
    return rule(question);
  };
  const { origin, close } = await listen(onKoa(storage, { authorize }));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket });
  await storage.as(bob).putBucket({ bucket: 'bobs' });
  const send = (method: string, path: string, options?: RawOptions) =>
    call(origin, method, path, options);
  return { storage, send, questions };
}

/** Requests that create an object and set its list with a header. */
const WRITES = [
  ['PUT', '/bucket/new', {}],
  ['PUT', '/bucket/a', {}],
  ['POST', '/bucket/new?append', {}],
  ['POST', '/bucket/new?uploads', {}],
  ['PUT', '/bucket/new', { 'x-svc-copy-source': '/bucket/a' }],
  ['PUT', '/bucket/a', { 'x-svc-copy-source': '/bucket/a', 'x-svc-metadata-directive': 'replace' }],
] as const;
const LISTS = [
  { 'x-svc-acl': 'public-read' },
  { 'x-svc-grant-read': 'id="u-bob"' },
  { 'x-svc-grant-full-control': 'id="u-bob"' },
];

test('a caller with only WRITE cannot set the list of an object with any operation', async (t) => {
  const { storage, send } = await serve(t);
  await storage.as(alice).putObject({ bucket, key: 'a', body: 'x' });
  await storage.putBucketAcl({
    bucket,
    accessControlList: [{ grantee: EVERYBODY, permission: ['READ', 'WRITE'] }],
  });
  for (const [method, path, headers] of WRITES) {
    const length = { 'content-length': 0 };
    for (const list of LISTS) {
      for (const as of ['bob', ''] as const) {
        const sent = { as, headers: { ...length, ...headers, ...list } };
        const { status, text } = await send(method, path, sent);
        t.is(status, 403, `${method} ${path} ${JSON.stringify(sent)} ${text}`);
      }
    }
    const plain = await send(method, path, { as: 'bob', headers: { ...length, ...headers } });
    t.is(plain.status, 200, `${method} ${path} ${plain.text}`);
    const owner = { ...length, ...headers, ...LISTS[0] };
    t.is((await send(method, path, { headers: owner })).status, 200);
  }
});

test('authorize is called for a list that is set by another operation', async (t) => {
  const { send, questions } = await serve(t, {}, ({ operation }) => !operation.endsWith('Acl'));
  const headers = { 'x-svc-acl': 'public-read', 'content-length': 0 };
  t.is((await send('PUT', '/bucket/a', { headers })).status, 403);
  t.is((await send('PUT', '/another', { headers })).status, 403);
  t.deepEqual(questions, [
    'PutObject WRITE',
    'PutObjectAcl FULL_CONTROL',
    'PutBucket CREATE',
    'PutBucketAcl FULL_CONTROL',
  ]);
});

test('completing an upload with a list requires permission to set the list', async (t) => {
  const { storage } = await serve(t);
  const full = [{ grantee: BOB, permission: ['FULL_CONTROL'] }];
  await storage.putBucketAcl({ bucket, accessControlList: full });
  const upload = { bucket, key: 'a', acl: 'public-read' } as const;
  const { uploadId } = await storage.as(bob).initiateMultipartUpload(upload);
  const part = { bucket, key: 'a', uploadId, partNumber: 1 };
  await storage.as(bob).uploadPart({ ...part, body: 'x' });
  const [{ etag } = { etag: '' }] = (await storage.listParts({ bucket, key: 'a', uploadId })).parts;
  const complete = { bucket, key: 'a', uploadId, parts: [{ partNumber: 1, etag }] };
  await storage.putBucketAcl({
    bucket,
    accessControlList: [{ grantee: BOB, permission: ['WRITE'] }],
  });
  await t.throwsAsync(storage.as(bob).completeMultipartUpload(complete), {
    message: /not allowed/,
  });
  await storage.putBucketAcl({ bucket, accessControlList: full });
  await t.notThrowsAsync(storage.as(bob).completeMultipartUpload(complete));
});

test('a user id applies within its tenant, unless ids are unique', async (t) => {
  const twin = { ...bob, tenantId: alice.tenantId };
  const { storage } = await serve(t, { uniqueUserIds: false });
  await storage.as(alice).putObject({ bucket, key: 'a', body: 'x' });
  const readsAs = async (who: typeof bob): Promise<boolean> =>
    storage
      .as(who)
      .getObjectMeta({ bucket, key: 'a' })
      .then(
        () => true,
        () => false,
      );
  const grant = (grantee: object, effect: 'Allow' | 'Deny' = 'Allow') =>
    ({ grantee: [grantee], permission: ['READ'], effect }) as never;
  for (const [name, accessControlList, ofTwin, ofBob] of [
    ['no tenant: that of the owner', [grant({ id: 'u-bob' })], true, false],
    ['a tenant', [grant({ id: 'u-bob', tenantId: bob.tenantId })], false, true],
    ['everybody', [grant({ id: '*' })], true, true],
    [
      'a Deny counts for all tenants',
      [grant({ id: '*' }), grant({ id: 'u-bob' }, 'Deny')],
      false,
      false,
    ],
  ] as const) {
    await storage.putBucketAcl({ bucket, accessControlList });
    t.deepEqual([await readsAs(twin), await readsAs(bob)], [ofTwin, ofBob], name);
  }
  await storage.putObjectAcl({ bucket, key: 'a', grantRead: [{ id: 'u-bob', tenantId: '2002' }] });
  t.deepEqual([await readsAs(twin), await readsAs(bob)], [false, true]);
});

test('a header can contain the tenant of a user', async (t) => {
  const { storage, send } = await serve(t, { uniqueUserIds: false });
  await storage.as(alice).putObject({ bucket, key: 'a', body: 'x' });
  const put = (list: string) =>
    send('PUT', '/bucket/a?acl', { headers: { 'x-svc-grant-read': list, 'content-length': 0 } });
  t.is((await put('id="u-bob"')).status, 200);
  t.is((await send('GET', '/bucket/a', { as: 'bob' })).status, 403);
  t.is((await put('id="u-carol", id="u-bob";tenantId="2002"')).status, 200);
  t.is((await send('GET', '/bucket/a', { as: 'bob' })).status, 200);
  t.deepEqual((await storage.getObjectAcl({ bucket, key: 'a' })).accessControlList, [
    { grantee: [{ id: 'u-carol' }, { id: 'u-bob', tenantId: '2002' }], permission: ['READ'] },
  ]);
  t.is((await put('id="u-bob";tenant="2002"')).status, 400);
});

test('a Deny of the bucket overrides the list of an object, except for reads', async (t) => {
  const { storage, send } = await serve(t);
  await storage.as(alice).putObject({ bucket, key: 'docs/a', body: 'x' });
  const full = [{ grantee: BOB, permission: ['FULL_CONTROL'] }];
  await storage.putObjectAcl({ bucket, key: 'docs/a', accessControlList: full });
  const denied = { grantee: BOB, permission: ['FULL_CONTROL'], effect: 'Deny' } as const;
  await storage.putBucketAcl({
    bucket,
    accessControlList: [...full, { ...denied, resource: ['bucket/docs/*'] }],
  });
  const headers = { 'x-svc-rename-key': 'docs/a', 'content-length': 0 };
  t.is((await send('POST', '/bucket/free', { as: 'bob', headers })).status, 403);
  t.is((await send('DELETE', '/bucket/docs/a', { as: 'bob' })).status, 403);
  t.is((await send('GET', '/bucket/docs/a?acl', { as: 'bob' })).status, 403);
  t.is((await send('GET', '/bucket/docs/a', { as: 'bob' })).status, 200);
});

test('conditions and appends reveal nothing to a caller who may not read', async (t) => {
  const { storage, send } = await serve(t);
  await storage.putBucketAcl({
    bucket,
    accessControlList: [{ grantee: BOB, permission: ['WRITE'] }],
  });
  await storage.as(alice).appendObject({ bucket, key: 'log', body: 'lines' });
  const { etag } = await storage.getObjectMeta({ bucket, key: 'log' });
  const wrong = { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' };
  const codes = async (method: string, path: string, headers: object, body = 'x') => {
    const { text } = await send(method, path, { as: 'bob', headers: { ...headers }, body });
    return JSON.parse(text || '{}').code;
  };
  for (const key of ['log', 'absent']) {
    const path = `/bucket/${key}`;
    t.is(await codes('PUT', path, { 'if-match': `"${etag}"`, ...wrong }), 'AccessDenied');
    t.is(await codes('PUT', path, { 'if-none-match': `"${etag}"`, ...wrong }), 'AccessDenied');
    t.is(await codes('PUT', path, { 'if-none-match': '*', ...wrong }), 'BadDigest');
    t.is(await codes('PUT', path, { 'x-svc-forbid-overwrite': 'true', ...wrong }), 'BadDigest');
    t.is(await codes('DELETE', path, { 'if-match': '"x"' }, ''), 'AccessDenied');
    t.is(await codes('DELETE', path, { 'if-none-match': '*' }, ''), 'AccessDenied');
  }
  for (const offset of [5, 9]) {
    const path = `/bucket/log?append&offset=${offset}`;
    t.is(await codes('POST', path, {}, ''), 'AccessDenied');
  }
  const ahead = await send('POST', '/bucket/log?append&offset=9', { as: 'bob', body: 'x' });
  t.is(JSON.parse(ahead.text).code, 'OffsetIncorrect');
  t.false(/5/.test(JSON.parse(ahead.text).message));
  t.is(ahead.headers['x-svc-next-append-offset'], undefined);
  t.is((await send('POST', '/bucket/log?append&offset=5', { as: 'bob', body: 'x' })).status, 200);
});

test('blockPublicAccess rejects public lists, and existing ones have no effect', async (t) => {
  const { storage, send } = await serve(t, { blockPublicAccess: true });
  await storage.as(alice).putObject({ bucket, key: 'a', body: 'x' });
  const headers = { 'x-svc-acl': 'public-read', 'content-length': 0 };
  for (const path of ['/bucket?acl', '/bucket/a?acl', '/bucket/b', '/another-bucket']) {
    t.is((await send('PUT', path, { headers })).status, 403, path);
  }
  const body = JSON.stringify({
    accessControlList: [{ grantee: EVERYBODY, permission: ['READ'] }],
  });
  t.is((await send('PUT', '/bucket?acl', { body })).status, 403);
  t.is((await send('GET', '/bucket/a', { as: '' })).status, 403);
  t.is((await send('GET', '/bucket/a')).status, 200);
});

test('a canned list grants to the owner, not to a user of another tenant with the same id', async (t) => {
  const { storage } = await serve(t);
  await storage.putBucket({ bucket: 'of-the-host', acl: 'private' });
  await storage.putObject({ bucket: 'of-the-host', key: 'a', body: 'secret' });
  const twin = { ...bob, userId: 'system' };
  const read = storage.as(twin).getObject({ bucket: 'of-the-host', key: 'a' });
  await t.throwsAsync(read, { message: /not allowed/ });
  await storage.putBucketAcl({ bucket, acl: 'public-read' });
  const other = storage.as({ ...bob, userId: alice.userId });
  await t.throwsAsync(other.putBucketAcl({ bucket, acl: 'private' }), { message: /not allowed/ });
});

test('an authorize that denies changes by permission applies to every operation', async (t) => {
  const { storage, send } = await serve(t, {}, ({ allowed, operation, permission, key }) => {
    const changes = permission === 'WRITE' || permission === 'FULL_CONTROL';
    if (changes && key?.startsWith('hold/')) return false;
    return allowed && operation !== 'PutBucketLifecycle';
  });
  await storage.putObject({ bucket, key: 'hold/a', body: 'held' });
  await storage.as(alice).putObject({ bucket, key: 'b', body: 'x' });
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'hold/a' });
  const copied = { 'x-svc-copy-source': '/bucket/b' };
  const rule = { id: 'r', status: 'enabled', resource: [`${bucket}/*`], condition: {} };
  const rows = [
    ['DELETE', '/bucket/hold/a', {}, ''],
    ['PUT', '/bucket/hold/a', {}, 'forged'],
    ['POST', '/bucket/hold/a?append', {}, 'forged'],
    ['PUT', '/bucket/hold/a', copied, ''],
    ['PUT', `/bucket/hold/a?partNumber=1&uploadId=${uploadId}`, {}, 'forged'],
    ['POST', '/bucket/hold/a?uploads', {}, ''],
    ['POST', '/bucket/free', { 'x-svc-rename-key': 'hold/a' }, ''],
    ['POST', '/bucket/hold/a', { 'x-svc-rename-key': 'b' }, ''],
    ['PUT', '/bucket/hold/a?acl', { 'x-svc-acl': 'private' }, ''],
    [
      ...['PUT', '/bucket?lifecycle'],
      ...[{}, JSON.stringify({ rule: [{ ...rule, action: { name: 'DeleteObject' } }] })],
    ],
  ] as [string, string, object, string][];
  for (const [method, path, headers, body] of rows) {
    t.is((await send(method, path, { headers: { ...headers }, body })).status, 403, path);
  }
  const batch = JSON.stringify({ objects: [{ key: 'hold/a' }] });
  const { text } = await send('POST', '/bucket?delete', { body: batch });
  t.is(JSON.parse(text).errors?.[0].code, 'AccessDenied', text);
  t.is((await send('GET', '/bucket/hold/a')).text, 'held');
});

test('metadata that clients send with a part is ignored', async (t) => {
  const { storage, send } = await serve(t);
  await storage.as(alice).putObject({ bucket, key: 'a', body: 'x', metadata: { a: '1' } });
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'b' });
  const path = (number: number) => `/bucket/b?partNumber=${number}&uploadId=${uploadId}`;
  const meta = { 'x-svc-meta-a': '2' };
  const put = await send('PUT', path(1), { headers: meta, body: 'x' });
  const copy = { ...meta, 'x-svc-copy-source': '/bucket/a' };
  const copied = await send('PUT', path(2), { headers: copy, body: '' });
  t.deepEqual([put.status, copied.status], [200, 200]);
  const eTag = JSON.parse(copied.text).eTag;
  const parts = [{ partNumber: 2, eTag }];
  await storage.completeMultipartUpload({ bucket, key: 'b', uploadId, parts });
  t.deepEqual((await storage.getObjectMeta({ bucket, key: 'b' })).metadata, {});
});
