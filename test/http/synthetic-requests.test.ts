import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { storagePlugin } from '@bucketware/fastify';
import test from 'ava';
import Fastify from 'fastify';
import { carriers } from './carriers.js';
import { diskStorage } from './disk-storage.js';
import { call, opening } from './raw.js';
import { alice, listen, memoryStorage } from './servers.js';

test('Fastify: requests of inject() are handled like those of clients', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const app = Fastify();
  app.register(storagePlugin(storage, { principal: () => alice }), { prefix: '/storage' });
  const url = '/storage/bucket/key';
  for (const size of [0, 10, 300_000]) {
    const payload = Buffer.alloc(size, 'x');
    const headers = { 'content-length': String(size) };
    t.is((await app.inject({ method: 'PUT', url, payload, headers })).statusCode, 200);
    const found = await app.inject({ url });
    t.is(found.statusCode, 200);
    t.true(payload.equals(found.rawPayload));
  }
  const absent = await app.inject({ method: 'PUT', url: '/storage/absent/key', payload: 'x' });
  t.is(absent.json().code, 'NoSuchBucket');
  t.is((await app.inject({ method: 'DELETE', url })).statusCode, 204);
});

/** What wrappers for serverless functions leave of the raw headers. */
const WRAPPERS: Readonly<Record<string, (raw: string[]) => unknown[]>> = {
  'without raw headers': () => [],
  'with numbers': (raw) =>
    raw.map((text, at) => (raw[at - 1]?.toLowerCase() === 'content-length' ? Number(text) : text)),
};

for (const [name, change] of Object.entries(WRAPPERS)) {
  for (const carrier of ['express5', 'express4', 'koa', 'fastify', 'node'] as const) {
    test(`${carrier}: the headers of a request ${name} are not ignored`, async (t) => {
      const storage = await memoryStorage();
      await storage.as(alice).putBucket({ bucket: 'bucket' });
      const listener = carriers[carrier](storage, {}) as RequestListener;
      const wrapped: RequestListener = (req, res) => {
        const { headers, rawHeaders } = req;
        Object.defineProperty(req, 'headers', { value: headers });
        req.rawHeaders = change(rawHeaders) as string[];
        listener(req, res);
      };
      const { origin, close } = await listen(wrapped);
      t.teardown(close);
      const put = await call(origin, 'PUT', '/bucket/a', { body: 'hello' });
      t.is(put.status, 200, put.text);
      const other = { 'if-match': '"00000000000000000000000000000000"' };
      t.is((await call(origin, 'DELETE', '/bucket/a', { headers: other })).status, 412);
      const foreign = { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' };
      const list = { body: '{"objects":[{"key":"a"}]}', headers: foreign };
      t.is((await call(origin, 'POST', '/bucket?delete', list)).status, 403);
      const part = await call(origin, 'GET', '/bucket/a', { headers: { range: 'bytes=1-2' } });
      t.deepEqual([part.status, part.text], [206, 'el']);
    });
  }
}

/** One of two connected streams. The test decides when the other one is read. */
class End extends Duplex {
  other: End | undefined;
  #taken = () => {};

  override _read(): void {
    const taken = this.#taken;
    this.#taken = () => {};
    taken();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const { other } = this;
    if (other?.push(chunk) === false) other.#taken = done;
    else done();
  }
}

test('a connection that is not a socket, and that is read slowly, gets a whole object', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const body = Buffer.alloc(1_000_000, 'x');
  await storage.as(alice).putObject({ bucket: 'bucket', key: 'key', body });
  const server = createServer(carriers.express5(storage, {}));
  const inside = new End();
  const client = new End();
  inside.other = client;
  client.other = inside;
  server.emit('connection', inside);
  client.write(opening('GET', '/bucket/key', 'Connection: close'));
  await sleep(50); // The response waits until the other end is read.
  let received = Buffer.alloc(0);
  client.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
  });
  while (received.length < body.length) await sleep(5);
  await sleep(10);
  t.true(received.subarray(-body.length).equals(body));
});

test('connections that keep chunks instead of copying them get whole objects', async (t) => {
  const storage = await diskStorage();
  t.teardown(() => storage.close());
  const own = storage.as(alice);
  await own.putBucket({ bucket: 'bucket' });
  const server = createServer(carriers.express5(storage, {}));
  const downloads = ['a', 'b', 'c'].map(async (key) => {
    const body = randomBytes(3_000_000);
    await own.putObject({ bucket: 'bucket', key, body });
    const inside = new End();
    const client = new End({ highWaterMark: 2 * body.length });
    inside.other = client;
    client.other = inside;
    server.emit('connection', inside);
    client.write(opening('GET', `/bucket/${key}`, 'Connection: close'));
    while (client.readableLength < body.length) await sleep(5);
    const chunks: Buffer[] = [];
    for (let chunk = client.read(); chunk !== null; chunk = client.read()) chunks.push(chunk);
    t.true(Buffer.concat(chunks).subarray(-body.length).equals(body));
  });
  await Promise.all(downloads);
});
