import { setTimeout as sleep } from 'node:timers/promises';
import type { AccessQuestion, ObjectStorage } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { carriers } from '../http/carriers.js';
import { diskStorage } from '../http/disk-storage.js';
import { call, dial } from '../http/raw.js';
import { alice, bob, listen, memoryStorage } from '../http/servers.js';

/*
 * A request is admitted before its body is read. A client that sends the body byte by byte keeps it
 * open for as long as it likes, while buckets are deleted and created, and permissions are revoked.
 */

const bucket = 'bucket';
const everything = (id: string) =>
  JSON.stringify({ accessControlList: [{ grantee: [{ id }], permission: ['FULL_CONTROL'] }] });

async function serve(t: ExecutionContext, storage: ObjectStorage, carrier: 'koa' | 'express5') {
  let calls = 0;
  let forbidden = false;
  const authorize = ({ allowed }: AccessQuestion) => {
    calls++;
    return allowed && !forbidden;
  };
  const { origin, close } = await listen(carriers[carrier](storage, { authorize }));
  t.teardown(async () => {
    await close();
    await storage.close();
  });
  /** Sends a request of bob except for its last byte. The returned function sends the rest. */
  const begin = async (method: string, path: string, body: string) => {
    const socket = await dial(origin);
    const before = calls;
    const head = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close'];
    head.push('Authorization: Bearer bob', `Content-Length: ${body.length}`, '', '');
    socket.write(head.join('\r\n') + body.slice(0, -1));
    // For a batch, `authorize` is not called before the body has arrived.
    for (let waited = 0; calls === before && waited < 20; waited++) await sleep(5);
    return async (): Promise<string> => {
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(body.slice(-1));
      await closed;
      return Buffer.concat(chunks).toString();
    };
  };
  const forbid = () => {
    forbidden = true;
  };
  return { origin, begin, forbid };
}

const REQUESTS = [
  ['PUT', '?acl', everything('u-bob')],
  ['PUT', '?cors', '{"corsConfiguration":[{"allowedOrigins":["*"],"allowedMethods":["GET"]}]}'],
  [
    'PUT',
    '?lifecycle',
    '{"rule":[{"status":"enabled","resource":["bucket/"],"condition":{},"action":{"name":"DeleteObject"}}]}',
  ],
  ['POST', '?delete', '{"objects":[{"key":"secret"}]}'],
  ['PUT', '/secret', 'of bob'],
  ['PUT', '/large', 'b'.repeat(200_000)],
  ['PUT', '/secret?acl', everything('u-bob')],
  ['POST', '/secret?append', 'of bob'],
] as const;

for (const carrier of ['koa', 'express5'] as const) {
  test(`${carrier}: requests that wait while a bucket gets a new owner do not affect the new bucket`, async (t) => {
    const storage = await diskStorage({ sweepEvery: false });
    const { origin, begin } = await serve(t, storage, carrier);
    await storage.as(bob).putBucket({ bucket });
    for (const key of ['secret', 'large']) {
      await storage.as(bob).putObject({ bucket, key, body: 'first' });
    }
    const ends = [];
    for (const [method, path, body] of REQUESTS) {
      ends.push(await begin(method, `/${bucket}${path}`, body));
    }
    for (const key of ['secret', 'large']) await storage.deleteObject({ bucket, key });
    await storage.deleteBucket({ bucket });
    await storage.as(alice).putBucket({ bucket });
    await storage.as(alice).putObject({ bucket, key: 'secret', body: 'of alice' });

    for (const end of ends) t.regex(await end(), /"code":"NoSuchBucket"/);
    t.is((await call(origin, 'GET', `/${bucket}/secret`, { as: 'bob' })).status, 403);
    t.is((await call(origin, 'GET', `/${bucket}/secret`)).text, 'of alice');
    t.is((await call(origin, 'GET', `/${bucket}?cors`)).status, 404);
    t.deepEqual((await storage.listObjects({ bucket })).contents.length, 1);
    await storage.sweep();
    const { missing, orphans } = await storage.check();
    t.deepEqual([missing, orphans], [[], []]);
  });

  test(`${carrier}: a permission that is revoked while the body is awaited no longer applies`, async (t) => {
    const storage = await memoryStorage();
    const { origin, begin } = await serve(t, storage, carrier);
    await storage.as(alice).putBucket({ bucket });
    await storage.as(alice).putObject({ bucket, key: 'secret', body: 'of alice' });
    await storage.putBucketAcl({ bucket, ...JSON.parse(everything('u-bob')) });
    const ends = [];
    for (const [method, path, body] of REQUESTS) {
      ends.push(await begin(method, `/${bucket}${path}`, body));
    }
    await storage.as(alice).putBucketAcl({ bucket, acl: 'private' });
    for (const end of ends) t.regex(await end(), /AccessDenied/);
    t.is((await call(origin, 'GET', `/${bucket}/secret`)).text, 'of alice');
    t.is((await call(origin, 'GET', `/${bucket}?acl`, { as: 'bob' })).status, 403);
  });
}

test('authorize is called again if the body took more than a second', async (t) => {
  let time = Date.now();
  const storage = await memoryStorage({ now: () => time });
  const { begin, forbid } = await serve(t, storage, 'koa');
  await storage.as(bob).putBucket({ bucket });
  const end = await begin('PUT', `/${bucket}/key`, 'bytes');
  forbid();
  time += 1_001;
  t.regex(await end(), /^HTTP\/1\.1 403 .*AccessDenied/s);
  t.deepEqual((await storage.listObjects({ bucket })).contents, []);
});

test('an empty append succeeds only while the bucket exists and the caller has permission', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  await storage.as(alice).putBucket({ bucket });
  await storage.putBucketAcl({ bucket, ...JSON.parse(everything('u-bob')) });
  await storage.as(alice).appendObject({ bucket, key: 'log', body: 'first' });
  const begin = (who: typeof bob) => {
    let end = () => {};
    const waits = new Promise<void>((resolve) => {
      end = resolve;
    });
    const body = (async function* () {
      await waits;
      yield* [] as Uint8Array[];
    })();
    const answer = storage.as(who).appendObject({ bucket, key: 'log', offset: 5, body });
    return { end, answer };
  };
  const denied = begin(bob);
  await sleep(5);
  await storage.as(alice).putBucketAcl({ bucket, acl: 'private' });
  denied.end();
  await t.throwsAsync(denied.answer, { code: 'AccessDenied' });

  const gone = begin(alice);
  await sleep(5);
  await storage.as(alice).deleteObject({ bucket, key: 'log' });
  await storage.as(alice).deleteBucket({ bucket });
  await storage.as(alice).putBucket({ bucket });
  gone.end();
  await t.throwsAsync(gone.answer, { code: 'NoSuchBucket' });
});
