import {
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { call, type RawOptions } from './raw.js';
import { alice, bob, listen, memoryStorage, onKoa } from './servers.js';

const bucket = 'bucket';
const OF_BOBS_TENANT = { id: '*', tenantId: bob.tenantId };
const OF_ALICES_TENANT = { id: '*', tenantId: alice.tenantId };
const OF_EVERY_USER = { id: '*', tenantId: '*' };
const carol = { ...alice, userId: 'u-carol', userName: 'Carol' };

async function serve(
  t: ExecutionContext,
  settings: Parameters<typeof memoryStorage>[0] = {},
): Promise<{
  storage: ObjectStorage;
  send: (method: string, path: string, options?: RawOptions) => ReturnType<typeof call>;
}> {
  const storage = await memoryStorage(settings);
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket });
  await storage.as(alice).putObject({ bucket, key: 'a', body: 'x' });
  return { storage, send: (method, path, options) => call(origin, method, path, options) };
}

const asList = (grantee: object, effect?: 'Deny') =>
  JSON.stringify({
    accessControlList: [
      ...(effect === undefined ? [] : [{ grantee: [{ id: '*' }], permission: ['READ'] }]),
      { grantee: [grantee], permission: ['READ'], ...(effect && { effect }) },
    ],
  });

for (const uniqueUserIds of [true, false]) {
  const ids = uniqueUserIds ? 'unique user ids' : 'user ids of a tenant';
  test(`a grant to * with a tenant applies to the users of that tenant, with ${ids}`, async (t) => {
    const { storage, send } = await serve(t, { uniqueUserIds });
    const read = async (as: 'bob' | '') => (await send('GET', '/bucket/a', { as })).status;
    for (const path of ['/bucket?acl', '/bucket/a?acl']) {
      for (const [body, ofBob, ofAnybody] of [
        [asList(OF_BOBS_TENANT), 200, 403],
        [asList(OF_ALICES_TENANT), 403, 403],
        [asList({ id: '*' }), 200, 200],
        [asList(OF_EVERY_USER), 200, 403],
        [asList(OF_BOBS_TENANT, 'Deny'), 403, 200],
        [asList(OF_ALICES_TENANT, 'Deny'), 200, 200],
        [asList({ id: '*' }, 'Deny'), 403, 403],
        [asList(OF_EVERY_USER, 'Deny'), 403, 200],
      ] as const) {
        t.is((await send('PUT', path, { body })).status, 200, body);
        t.deepEqual([await read('bob'), await read('')], [ofBob, ofAnybody], `${path} ${body}`);
      }
    }
    await storage.putObjectAcl({ bucket, key: 'a', grantRead: [OF_ALICES_TENANT] });
    t.is(String(await (await storage.as(carol).getObject({ bucket, key: 'a' })).bytes()), 'x');
  });
}

test('a header grants to all users of a tenant', async (t) => {
  const { storage, send } = await serve(t);
  const headers = { 'x-svc-grant-read': 'id="*";tenantId="2002"', 'content-length': 0 };
  t.is((await send('PUT', '/bucket/a?acl', { headers })).status, 200);
  t.is((await send('GET', '/bucket/a', { as: 'bob' })).status, 200);
  t.is((await send('GET', '/bucket/a', { as: '' })).status, 403);
  t.deepEqual((await storage.getObjectAcl({ bucket, key: 'a' })).accessControlList, [
    { grantee: [OF_BOBS_TENANT], permission: ['READ'] },
  ]);
});

test('a grant to a tenant is not public: responses are private to caches, and blockPublicAccess allows it', async (t) => {
  const { send } = await serve(t, { blockPublicAccess: true });
  for (const path of ['/bucket?acl', '/bucket/a?acl']) {
    const put = (grantee: object) => send('PUT', path, { body: asList(grantee) });
    t.is((await put({ id: '*' })).status, 403);
    t.is((await put(OF_BOBS_TENANT)).status, 200);
    const { status, headers } = await send('GET', '/bucket/a', { as: 'bob' });
    t.is(status, 200);
    t.is(headers['cache-control'], 'private, max-age=0, no-transform');
    t.is(headers['cross-origin-resource-policy'], 'same-origin');
  }
});

test('a grant applies to every tenant only if it is for all users', async (t) => {
  const { send } = await serve(t);
  const everywhere = { id: 'u-bob', tenantId: '*' };
  for (const body of [asList(everywhere), asList(everywhere, 'Deny')]) {
    t.is((await send('PUT', '/bucket?acl', { body })).status, 400);
  }
  const headers = { 'x-svc-grant-read': 'id="u-bob";tenantId="*"', 'content-length': 0 };
  t.is((await send('PUT', '/bucket/a?acl', { headers })).status, 400);
});

test('a grant to every user is public: blockPublicAccess rejects and disables it', async (t) => {
  const drivers = { metadata: memoryMetadata(), blobs: memoryBlobs() };
  const before = await createObjectStorage(drivers);
  await before.as(alice).putBucket({ bucket });
  await before.as(alice).putObject({ bucket, key: 'a', body: 'x' });
  const grant = { grantee: [OF_EVERY_USER], permission: ['READ'] };
  await before.putBucketAcl({ bucket, accessControlList: [grant] });
  const read = (storage: ObjectStorage) => storage.as(bob).getObjectMeta({ bucket, key: 'a' });
  t.is((await read(before)).size, 1);
  const blocked = await createObjectStorage({ ...drivers, blockPublicAccess: true });
  t.teardown(() => blocked.close());
  await t.throwsAsync(read(blocked), { message: /not allowed/ });
  const again = blocked.as(alice).putBucketAcl({ bucket, accessControlList: [grant] });
  await t.throwsAsync(again, { message: /Public access is blocked/ });
});

test('a grant header names at most 100 users', async (t) => {
  const { send } = await serve(t);
  const users = (count: number) => Array.from({ length: count }, (_, at) => `id="u-${at}"`).join();
  const grant = (count: number) => ({ headers: { 'x-svc-grant-read': users(count) } });
  t.is((await send('PUT', '/bucket/b', { ...grant(100), body: 'x' })).status, 200);
  const refused = await send('PUT', '/bucket/c', { ...grant(101), body: 'x' });
  t.is(refused.status, 400);
  t.regex(String(refused.body), /x-svc-grant-read has 101 items\. It may have at most 100/);
  t.is((await send('GET', '/bucket/c')).status, 404);
});
