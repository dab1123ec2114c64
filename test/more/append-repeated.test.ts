import test from 'ava';
import { call } from '../http/raw.js';
import { alice, bob, listen, memoryStorage, onKoa } from '../http/servers.js';

const bucket = 'bucket';

test('an append whose request is repeated takes effect once', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket });
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  const append = async (query: string, body: string, as = 'alice') => {
    const headers = { authorization: `Bearer ${as}` };
    return call(origin, 'POST', `/bucket/log?append${query}`, { body, headers });
  };
  const text = async () => (await storage.getObject({ bucket, key: 'log' })).text();
  t.is((await append('', 'one;')).status, 200);
  const first = await append('&offset=4&appendId=a-1', 'two;');
  const again = await append('&offset=4&appendId=a-1', 'two;');
  t.deepEqual([first.status, again.status], [200, 200]);
  for (const name of ['etag', 'content-md5', 'x-svc-content-crc32', 'x-svc-next-append-offset']) {
    t.not(first.headers[name], undefined);
    t.is(again.headers[name], first.headers[name], name);
  }
  t.is(await text(), 'one;two;');

  // Another append has come in between.
  t.is((await append('&offset=8&appendId=b-1', 'three;')).status, 200);
  const late = await append('&offset=4&appendId=a-1', 'two;');
  t.is(late.status, 200);
  t.is(late.headers.etag, first.headers.etag);
  t.is(late.headers['x-svc-next-append-offset'], '8');
  t.is(await text(), 'one;two;three;');

  for (const query of ['&offset=4', '&offset=4&appendId=a-2'])
    t.is((await append(query, 'two;')).status, 409, query);
  for (const body of ['TWO;', 'two', 'twofold']) {
    const other = await append('&offset=14&appendId=a-1', body);
    t.is(other.status, 400);
    t.regex(other.body.toString(), /belongs to an earlier append of other data/);
  }
  t.is((await append('&offset=8&appendId=', 'x')).status, 400);
  t.is((await append('&offset=8&appendId=a%2Fb', 'x')).status, 400);
  t.is((await append(`&offset=8&appendId=${'a'.repeat(65)}`, 'x')).status, 400);
  t.is((await append('&offset=4&appendId=a-1', 'two;', 'bob')).status, 403);
  t.is(await text(), 'one;two;three;');
});

test('an append is recognized after 15 others, and not after 16', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  const at = { bucket, key: 'log' };
  await storage.appendObject({ ...at, body: '0', appendId: 'id-0' });
  const repeat = (id: number) =>
    storage.appendObject({ ...at, body: `${id % 10}`, offset: id, appendId: `id-${id}` });
  for (let id = 1; id < 20; id++) await repeat(id);
  for (let id = 4; id < 20; id++) t.is((await repeat(id)).size, id + 1);
  await t.throwsAsync(repeat(3), { message: /needs that offset/ });
  t.is((await storage.getObjectMeta(at)).size, 20);
});

test('a repeated request that creates an object does not replace it', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket });
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  const create = async (query: string, body: string, more = {}) => {
    const headers = { authorization: 'Bearer alice', ...more };
    return call(origin, 'POST', `/bucket/log?append${query}`, { body, headers });
  };
  const text = async () => (await storage.getObject({ bucket, key: 'log' })).text();
  const first = await create('&appendId=a-1', 'one;');
  t.is(first.status, 200);
  t.is((await create('&offset=4&appendId=a-2', 'two;')).status, 200);
  for (const more of [{}, { 'x-svc-forbid-overwrite': 'true' }]) {
    const again = await create('&appendId=a-1', 'one;', more);
    t.is(again.status, 200);
    t.is(again.headers.etag, first.headers.etag);
    t.is(again.headers['x-svc-next-append-offset'], '4');
  }
  t.is((await create('&appendId=a-1', 'ONE;')).status, 400);
  t.is(await text(), 'one;two;');
  const forbid = { 'x-svc-forbid-overwrite': 'true' };
  t.is((await create('&appendId=a-3', 'new;', forbid)).status, 412);
  t.is((await create('', 'new;', forbid)).status, 412);
  t.is((await create('&offset=8', 'new;', forbid)).status, 400);
  t.is(await text(), 'one;two;');
  t.is((await create('&appendId=a-3', 'new;')).status, 200);
  t.is(await text(), 'new;');
});

test('the large body of a repeated append is read and compared', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket });
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  const headers = { authorization: 'Bearer alice' };
  const body = Buffer.alloc(20_000_000, 'x');
  for (const where of ['', '&offset=20000000']) {
    const path = `/bucket/log?append${where}&appendId=a${where.length}`;
    for (const wanted of [200, 200])
      t.is((await call(origin, 'POST', path, { body, headers })).status, wanted);
    const other = Buffer.concat([body.subarray(1), Buffer.from('y')]);
    t.is((await call(origin, 'POST', path, { body: other, headers })).status, 400);
  }
  t.is((await storage.getObjectMeta({ bucket, key: 'log' })).size, 2 * body.length);
});

test('requests of the same append at the same time all succeed, and one takes effect', async (t) => {
  const storage = await memoryStorage();
  const client = storage.as(alice);
  const grantee = { id: bob.userId, tenantId: bob.tenantId };
  await client.putBucket({ bucket });
  const accessControlList = [{ grantee: [grantee], permission: ['WRITE' as const] }];
  await client.putBucketAcl({ bucket, accessControlList });
  const at = { bucket, key: 'log' };
  for (const length of [5, 3_000_000]) {
    await client.appendObject({ ...at, body: 'start;' });
    const body = Buffer.alloc(length, 'x');
    const added = { ...at, body, offset: 6, appendId: `of-${length}` };
    const made = await Promise.all(Array.from({ length: 8 }, () => client.appendObject(added)));
    for (const { size } of made) t.is(size, 6 + length);
    t.is((await storage.getObjectMeta(at)).size, 6 + length);
    t.deepEqual(
      await (await storage.getObject(at)).bytes(),
      Buffer.concat([Buffer.from('start;'), body]),
    );
    // The ids of others are not known, and a caller without READ does not learn the CRC-32.
    const bobs = storage.as(bob);
    await t.throwsAsync(bobs.appendObject(added), { message: /offset is not the size/ });
    const own = { ...at, body: ';end', appendId: `of-bob-${length}` };
    const offset = 6 + length;
    t.is((await bobs.appendObject({ ...own, offset })).size, offset + 4);
    for (const again of [{ offset }, { offset: offset + 4 }, {}]) {
      const { size, contentCrc32, metadata } = await bobs.appendObject({ ...own, ...again });
      t.deepEqual([size, contentCrc32, metadata], [offset + 4, undefined, {}]);
    }
  }
});

test('a creation that is repeated after another one does not bring its object back', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  const at = { bucket, key: 'log' };
  const first = { ...at, body: 'first', appendId: 'id-1' };
  const { etag } = await storage.appendObject(first);
  await storage.appendObject({ ...at, body: 'second', appendId: 'id-2' });
  t.is((await storage.appendObject(first)).etag, etag);
  t.is(await (await storage.getObject(at)).text(), 'second');
});

test('a caller who may only add objects may repeat the request that added one', async (t) => {
  const storage = await memoryStorage();
  const client = storage.as(alice);
  await client.putBucket({ bucket });
  const grantee = [{ id: bob.userId, tenantId: bob.tenantId }];
  const accessControlList = [
    { grantee, permission: ['WRITE' as const] },
    { grantee, permission: ['MODIFY' as const], effect: 'Deny' as const },
  ];
  await client.putBucketAcl({ bucket, accessControlList });
  const bobs = storage.as(bob);
  const added = { bucket, key: 'log', body: 'one;', appendId: 'id-1' };
  t.is((await bobs.appendObject(added)).size, 4);
  t.is((await bobs.appendObject(added)).size, 4);
  for (const other of [{ appendId: 'id-2' }, { offset: 0 }, { offset: 4, appendId: 'id-2' }])
    await t.throwsAsync(bobs.appendObject({ ...added, ...other }), { message: /may add objects/ });
});
