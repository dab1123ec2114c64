import test from 'ava';
import { call } from './raw.js';
import { alice, bob, listen, memoryStorage, onKoa } from './servers.js';

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

  const others = ['&offset=4', '&offset=4&appendId=a-2', '&offset=0&appendId=a-1'];
  for (const query of others) t.is((await append(query, 'two;')).status, 409, query);
  t.is((await append('&offset=8&appendId=', 'x')).status, 400);
  t.is((await append('&offset=8&appendId=a%2Fb', 'x')).status, 400);
  t.is((await append(`&offset=8&appendId=${'a'.repeat(65)}`, 'x')).status, 400);
  // The same id at the next offset is another append.
  t.is((await append('&offset=8&appendId=a-1', 'three;')).status, 200);
  t.is((await append('&offset=4&appendId=a-1', 'two;')).status, 409);
  t.is((await append('&offset=14', 'four;')).status, 200);
  t.is((await append('&offset=8&appendId=a-1', 'three;')).status, 409);
  t.is(await text(), 'one;two;three;four;');
  t.is((await append('&offset=14&appendId=a-1', 'four;', 'bob')).status, 403);
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
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, number) =>
        storage.as(number % 2 === 0 ? alice : bob).appendObject(added),
      ),
    );
    for (const { size } of made) t.is(size, 6 + length);
    t.is((await storage.getObjectMeta(at)).size, 6 + length);
    t.deepEqual(
      await (await storage.getObject(at)).bytes(),
      Buffer.concat([Buffer.from('start;'), body]),
    );
    // A caller without READ does not learn the CRC-32 of the object.
    const own = await storage.as(bob).appendObject(added);
    t.is(own.contentCrc32, undefined);
  }
});
