import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStorage, ObservedRequest, StorageRequest } from '@bucketware/core';
import { s3 } from '@bucketware/s3';
import test, { type ExecutionContext } from 'ava';
import { carriers } from './carriers.js';
import { call, dial, opening } from './raw.js';
import { alice, listen, memoryStorage, onKoa } from './servers.js';

/** Collects observations, and can wait for a number of them. */
class Seen {
  readonly requests: ObservedRequest[] = [];

  constructor(storage: ObjectStorage) {
    storage.observe((request) => this.requests.push(request));
  }

  async next(): Promise<ObservedRequest> {
    while (this.requests.length === 0) await sleep(5);
    return this.requests.shift() as ObservedRequest;
  }
}

async function serve(t: ExecutionContext, carrier: keyof typeof carriers) {
  const storage = await memoryStorage();
  const seen = new Seen(storage);
  const { origin, close } = await listen(carriers[carrier](storage, {}));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  return { storage, seen, origin };
}

const sizesOf = ({ bytesIn, bytesOut, complete }: ObservedRequest) => [bytesIn, bytesOut, complete];

for (const carrier of ['koa', 'express5', 'fastify', 'node', 'hono'] as const) {
  test(`${carrier}: a request is observed when its response has ended`, async (t) => {
    const { storage, seen, origin } = await serve(t, carrier);
    const before = Date.now();
    const body = Buffer.alloc(300_000, 'x');
    const put = await call(origin, 'PUT', '/bucket/a%20b?', { body });
    const first = await seen.next();
    t.like(first, {
      requestId: put.headers['x-svc-request-id'],
      dialect: 'json',
      method: 'PUT',
      httpVersion: '1.1',
      url: '/bucket/a%20b?',
      operation: 'PutObject',
      bucket: 'bucket',
      key: 'a b',
      principal: alice,
      status: 200,
      error: undefined,
      bytesIn: 300_000,
      bytesOut: 0,
      complete: true,
    });
    t.is(first.header('Content-Length'), '300000');
    t.true(first.began >= before && first.began <= Date.now());
    t.true(first.firstByte > 0 && first.duration >= first.firstByte);
    if (carrier !== 'hono') t.is(first.address, '127.0.0.1');

    t.is((await call(origin, 'GET', '/bucket/a%20b')).body.length, 300_000);
    t.deepEqual(sizesOf(await seen.next()), [0, 300_000, true], 'a large object');
    await storage.as(alice).putObject({ bucket: 'bucket', key: 'small', body: 'small' });
    await call(origin, 'GET', '/bucket/small');
    t.deepEqual(sizesOf(await seen.next()), [0, 5, true], 'a small object');
    await call(origin, 'HEAD', '/bucket/small');
    t.deepEqual(sizesOf(await seen.next()), [0, 0, true], 'HEAD');

    const etag = (await call(origin, 'HEAD', '/bucket/small')).headers.etag as string;
    await seen.next();
    await call(origin, 'GET', '/bucket/small', { headers: { 'if-none-match': etag } });
    t.like(await seen.next(), { status: 304, error: undefined });

    const failed = await call(origin, 'GET', '/bucket/none', { as: 'bob' });
    const { status, error, principal, bytesOut } = await seen.next();
    t.deepEqual([status, error, principal?.userId], [403, 'AccessDenied', 'u-bob']);
    t.is(bytesOut, failed.body.length);
    await call(origin, 'PATCH', '/bucket/small');
    t.like(await seen.next(), { status: 405, operation: undefined, bucket: 'bucket' });
  });
}

test('a client that disconnects is observed, with the amount of data that was sent', async (t) => {
  const { storage, seen, origin } = await serve(t, 'koa');
  const body = Buffer.alloc(32 * 1024 * 1024);
  await storage.as(alice).putObject({ bucket: 'bucket', key: 'large', body });
  const reader = await dial(origin);
  reader.write(opening('GET', '/bucket/large'));
  reader.once('data', () => reader.destroy());
  const download = await seen.next();
  t.like(download, { operation: 'GetObject', status: 200, complete: false });
  t.true(download.bytesOut > 0 && download.bytesOut < body.length);

  const writer = await dial(origin);
  writer.write(`${opening('PUT', '/bucket/half', 'Content-Length: 100000')}${'x'.repeat(5000)}`);
  setTimeout(() => writer.destroy(), 50);
  const upload = await seen.next();
  t.like(upload, { operation: 'PutObject', error: 'ReadBodyError', complete: false, bytesOut: 0 });
  t.is(upload.bytesIn, 5000);
});

test('requests of other handlers are not observed, and every observed request ends', async (t) => {
  const storage = await memoryStorage();
  const steps: string[] = [];
  const step = (name: string) => (request: ObservedRequest) => {
    steps.push(`${name} ${request.operation} ${request.status}`);
  };
  storage.observe({ begin: step('begin'), end: step('end') });
  const { origin, close } = await listen(carriers.express5(storage, { mount: '/storage' }));
  t.teardown(close);
  t.is((await call(origin, 'GET', '/other')).status, 404);
  t.is((await call(origin, 'GET', '/storage')).status, 200);
  while (steps.length < 2) await sleep(5);
  t.deepEqual(steps, ['begin ListBuckets 0', 'end ListBuckets 200']);
});

test('an observer that fails changes no response, and one that has ended sees no request', async (t) => {
  const reported: unknown[] = [];
  const storage = await memoryStorage({ onError: (error) => reported.push(error) });
  const mishap = new Error('a bug');
  const fail = () => {
    throw mishap;
  };
  const stop = storage.observe({ begin: fail, end: fail });
  const late = new Error('a bug in a promise');
  const reject = async () => {
    await sleep(0);
    throw late;
  };
  const stopLate = storage.observe({ begin: reject, end: reject });
  const seen = new Seen(storage);
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  t.is((await call(origin, 'GET', '/')).status, 200);
  t.is((await seen.next()).status, 200);
  while (reported.length < 4) await sleep(5);
  const times = (of: Error) => reported.filter((error) => error === of).length;
  t.deepEqual([times(mishap), times(late)], [2, 2]);
  stop();
  stopLate();
  await call(origin, 'GET', '/');
  await seen.next();
  t.is(reported.length, 4);
  t.throws(() => storage.observe({} as never), { message: /takes a function, or an object/ });
});

test('the first address that a trusted proxy forwards is that of the client', async (t) => {
  const storage = await memoryStorage();
  const seen = new Seen(storage);
  const headers = { 'x-forwarded-for': '203.0.113.7, 10.0.0.1' };
  for (const [trustProxy, address] of [
    [true, '203.0.113.7'],
    [false, '127.0.0.1'],
  ] as const) {
    const { origin, close } = await listen(onKoa(storage, { trustProxy }));
    t.teardown(close);
    await call(origin, 'GET', '/', { headers });
    t.is((await seen.next()).address, address);
  }
});

test('for an adapter that does not report what it sends, the body that it reads is observed', async (t) => {
  const storage = await memoryStorage();
  const seen = new Seen(storage);
  const credentials = { AK: { secret: 'secret', principal: alice } };
  const handle = storage.handler({ dialect: s3({ credentials }) });
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const body = Buffer.alloc(300_000);
  await storage.as(alice).putObject({ bucket: 'bucket', key: 'a', body });
  const get: StorageRequest = {
    method: 'GET',
    url: '/bucket/a',
    mount: '',
    encrypted: false,
    rawHeaders: ['Host', 'x'],
    body: { parsed: undefined, chunks: async function* () {} },
    principal: () => alice,
  };
  for (const whole of [true, false]) {
    const response = await handle(get);
    const stream = response?.body as NodeJS.ReadableStream & { destroy(): void };
    t.is(seen.requests.length, 0);
    if (whole) stream.resume();
    else stream.destroy();
    const request = await seen.next();
    t.deepEqual(sizesOf(request), [0, whole ? 300_000 : 0, whole]);
    t.is(request.dialect, 's3');
  }
});

test('an observer is called in the asynchronous context of its request', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const contexts = new AsyncLocalStorage<string>();
  const seen: [moment: string, url: string, context: string | undefined][] = [];
  const note = (moment: string) => (request: ObservedRequest) =>
    void seen.push([moment, request.url, contexts.getStore()]);
  storage.observe({ begin: note('begin'), end: note('end') });
  await storage.putObject({ bucket: 'bucket', key: 'large', body: Buffer.alloc(300_000) });
  const carried = carriers.express5(storage, {});
  const { origin, close } = await listen((req, res) =>
    contexts.run(req.url as string, carried, req, res),
  );
  t.teardown(close);
  const keys = ['large?', ...Array.from({ length: 8 }, (_, n) => `absent${n}`)];
  const sockets = await Promise.all(keys.map(() => dial(origin)));
  // By now the server has accepted all connections, and reads them in the same turn.
  await sleep(20);
  for (const [n, key] of keys.entries())
    sockets[n]?.resume().write(opening('GET', `/bucket/${key}`));
  while (seen.length < 2 * keys.length) await sleep(5);
  for (const [moment, url, context] of seen) t.is(context, url, moment);
  for (const socket of sockets) socket.destroy();
});
