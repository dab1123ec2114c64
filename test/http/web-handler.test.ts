import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@bucketware/client';
import type { BlobStore } from '@bucketware/core';
import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import { toWebHandler, type WebStorageOptions } from '@bucketware/web';
import { getRequestListener } from '@hono/node-server';
import test from 'ava';
import { Hono } from 'hono';
import { getRequestListener as listenerOf1 } from 'hono-node-server-1';
import type { HonoContext } from './carriers.js';
import { proveMounted } from './mounting.js';
import { call, open, opening } from './raw.js';
import { alice, listen, memoryStorage } from './servers.js';
import { delegate } from './soundness.js';

const MB = 1024 * 1024;
const AT = 'http://app.test/storage';

/** A storage with `bucket`, as a function of requests by alice. */
async function handler(options: Partial<WebStorageOptions<unknown>> = {}) {
  const reads: string[] = [];
  const ends: string[] = [];
  const blobs = memoryBlobs();
  const noting: BlobStore = {
    ...delegate(blobs),
    async read(id, range) {
      reads.push(id);
      return (await blobs.read(id, range)).once('close', () => ends.push(id));
    },
  };
  const storage = await createObjectStorage({ blobs: noting, metadata: memoryMetadata() });
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const mount = '/storage';
  const handle = toWebHandler(storage, { mount, principal: () => alice, ...options });
  const ask = (method: string, path: string, init: RequestInit & { duplex?: 'half' } = {}) =>
    handle(new Request(`${AT}${path}`, { method, ...init }));
  return { storage, handle, ask, reads, ends };
}

const headers = (length: number) => ({ 'content-length': String(length) });

test('a Request results in a Response', async (t) => {
  const { ask } = await handler();
  const put = await ask('PUT', '/bucket/a%20b', { headers: headers(5), body: 'hello' });
  t.is(put.status, 200);
  const got = await ask('GET', '/bucket/a%20b', { headers: { range: 'bytes=1-3' } });
  t.deepEqual([got.status, await got.text()], [206, 'ell']);
  t.is(got.headers.get('content-range'), 'bytes 1-3/5');
  const head = await ask('HEAD', '/bucket/a%20b');
  t.deepEqual([head.status, head.body, head.headers.get('content-length')], [200, null, '5']);
  t.is((await ask('DELETE', '/bucket/a%20b')).status, 204);
  const none = await ask('GET', '/bucket/a%20b');
  t.is(((await none.json()) as { code: string }).code, 'NoSuchKey');
});

test('requests that are not for the storage are passed to `next`, or are 404 without it', async (t) => {
  const { handle } = await handler();
  const request = new Request('http://app.test/other');
  t.is((await handle(request)).status, 404);
  t.is(await handle(request, {}, () => 'next'), 'next');
});

test('the path is that of the request line, whatever the Host header', async (t) => {
  const { ask, handle, storage } = await handler();
  await ask('PUT', '/bucket/a', { headers: headers(5), body: 'hello' });
  const get = async (url: string, host?: string) => {
    const init = host === undefined ? {} : { headers: { host } };
    // Bun has such URLs; Node cannot create them.
    const request = Object.defineProperty(new Request('http://x', init), 'url', { value: url });
    const response = await handle(request);
    return [response.status, await response.text()];
  };
  t.deepEqual(await get('/storage/bucket/a'), [200, 'hello']); // HTTP/1.0 without Host.
  t.deepEqual(await get('//x/storage/bucket/a'), [404, 'Not found']);
  t.deepEqual(await get('//['), [404, 'Not found']);
  t.is((await get('http://[/storage/bucket/a'))[0], 400);
  for (const host of ['y/storage/bucket/a?', 'y/storage/bucket/a#', 'a@y', 'y\\']) {
    t.deepEqual(await get(`http://${host}/b`, host), [400, 'The Host is not valid.']);
  }
  t.deepEqual(await get('http://app.test/storage/bucket/a', 'app.test'), [200, 'hello']);
  await storage.close();
});

test('the context is passed to `principal`', async (t) => {
  const storage = await memoryStorage();
  const handle = toWebHandler<{ user: typeof alice }>(storage, { principal: (_, c) => c.user });
  const put = new Request('http://app.test/bucket', { method: 'PUT' });
  t.is((await handle(put, { user: alice })).status, 200);
  t.is((await storage.as(alice).listBuckets()).buckets.length, 1);
});

test('bodies are streamed in both directions, at the pace of the other side', async (t) => {
  const { ask, storage } = await handler();
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (++pulled > 24) controller.close();
      else controller.enqueue(new Uint8Array(MB));
    },
  });
  const chunked = { 'transfer-encoding': 'chunked' };
  const put = await ask('PUT', '/bucket/large', { headers: chunked, body, duplex: 'half' });
  t.is(put.status, 200);
  t.is((await storage.getObjectMeta({ bucket: 'bucket', key: 'large' })).size, 24 * MB);
  const got = await ask('GET', '/bucket/large');
  const reader = (got.body as ReadableStream<Uint8Array>).getReader();
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length;
  }
  t.is(size, 24 * MB);
});

test('a body that breaks off leaves nothing, and neither does one that stalls', async (t) => {
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const { ask, storage } = await handler({ onError, stallTimeout: 500 });
  const ends = {
    breaks: (controller: ReadableStreamDefaultController) => controller.error(new Error('gone')),
    stalls: () => new Promise<void>(() => {}),
    'is short': (controller: ReadableStreamDefaultController) => controller.close(),
  };
  const answers: unknown[] = [];
  for (const end of Object.values(ends)) {
    let sent = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      if (sent++ > 0) return end(controller);
      controller.enqueue(new Uint8Array(100));
    };
    const body = new ReadableStream({ pull });
    const answer = await ask('PUT', '/bucket/key', { headers: headers(200), body, duplex: 'half' });
    answers.push([answer.status, ((await answer.json()) as { code: string }).code]);
  }
  t.deepEqual(answers, [
    [400, 'ReadBodyError'],
    [408, 'RequestTimeout'],
    [400, 'RequestTimeout'],
  ]);
  t.deepEqual((await storage.listObjects({ bucket: 'bucket' })).contents, []);
  t.deepEqual(failures, []);
});

test('a download that is cancelled, dropped, abandoned or unread closes its source', async (t) => {
  const { ask, storage, reads, ends } = await handler({ stallTimeout: 2000 });
  await storage.putObject({ bucket: 'bucket', key: 'key', body: Buffer.alloc(8 * MB) });
  const leaving = new AbortController();
  const cancelled = await ask('GET', '/bucket/key');
  const left = await ask('GET', '/bucket/key', { signal: leaving.signal });
  await ask('GET', '/bucket/key');
  const stalled = (await ask('GET', '/bucket/key')).body?.getReader();
  await cancelled.body?.cancel();
  leaving.abort();
  await stalled?.read();
  while (ends.length < reads.length) await sleep(5);
  await t.throwsAsync(async () => left.text());
  await t.throwsAsync(async () => {
    for (;;) await stalled?.read();
  });
  t.true(reads.length > 0);
});

test('a body that the host has read has its own error', async (t) => {
  const failures: unknown[] = [];
  const { handle } = await handler({ onError: (error) => failures.push(error) });
  const request = new Request(`${AT}/bucket/key`, {
    method: 'PUT',
    headers: headers(2),
    body: 'ok',
  });
  await request.text();
  t.is((await handle(request)).status, 500);
  t.regex(String(failures[0]), /body parser/i);
});

test('a Response has the form that hosts expect: text as bytes, and no body where none is allowed', async (t) => {
  const { ask, storage } = await handler();
  await storage.putObject({ bucket: 'bucket', key: 'k', body: 'x', contentDisposition: 'é' });
  const got = await ask('GET', '/bucket/k');
  const names = Array.from(got.headers.keys());
  t.true(names.indexOf('content-disposition') < names.indexOf('content-length'));
  const etag = got.headers.get('etag') as string;
  const same = await ask('GET', '/bucket/k', { headers: { 'if-none-match': etag } });
  t.deepEqual([same.status, same.body], [304, null]);
  const wrong = await ask('GET', '/bucket/none');
  t.is(wrong.headers.get('content-type'), 'application/json; charset=utf-8');
});

test('Hono on Node: with the raw request, every key arrives as it was sent', async (t) => {
  const storage = await memoryStorage();
  const handle = toWebHandler<HonoContext>(storage, {
    mount: '/storage',
    principal: () => alice,
    raw: (_, c) => c.env,
  });
  const app = new Hono<{ Bindings: { incoming: IncomingMessage } }>();
  app.get('/before', (c) => c.text('before'));
  app.use((c, next) => handle(c.req.raw, c as never, next));
  app.all('*', (c) => c.text('after'));
  const { origin, close } = await listen(getRequestListener(app.fetch));
  t.teardown(close);
  await proveMounted(t, origin, '/storage');
  t.is((await call(origin, 'GET', '/before')).text, 'before');
  t.is((await call(origin, 'GET', '/after')).text, 'after');
});

test('Hono on Node: metadata and file names in any language arrive as they were stored', async (t) => {
  const { storage } = await handler();
  const contentDisposition = 'attachment; filename="Müller.pdf"';
  const metadata = { author: 'Jürgen', title: '東京' };
  const object = { bucket: 'bucket', metadata, contentDisposition };
  for (const size of [10, MB, 5 * MB]) {
    await storage.putObject({ ...object, key: `${size}`, body: Buffer.alloc(size, 'x') });
  }
  const handle = toWebHandler<HonoContext>(storage, {
    principal: () => alice,
    raw: (_, c) => c.env,
  });
  const app = new Hono<{ Bindings: HonoContext['env'] }>();
  app.use((c, next) => handle(c.req.raw, c, next));
  const { origin, close } = await listen(getRequestListener(app.fetch));
  t.teardown(close);
  const client = createClient({ endpoint: origin });
  for (const size of [10, MB, 5 * MB]) {
    const got = await client.getObject({ bucket: 'bucket', key: `${size}` });
    t.like(got, { metadata, contentDisposition });
    t.is((await got.bytes()).length, size);
  }
});

const RAW = {
  exchange: (_: Request, c: HonoContext) => c.env,
  request: (_: Request, c: HonoContext) => c.env.incoming,
  none: undefined,
};

for (const [how, raw] of Object.entries(RAW)) {
  for (const [version, listener] of [[1, listenerOf1] as const, [2, getRequestListener] as const]) {
    test(`Hono on Node, version ${version}, raw: ${how}: bodies wait for a login that takes a moment`, async (t) => {
      const { storage } = await handler();
      const principal = async () => {
        await sleep(20);
        return alice;
      };
      const handle = toWebHandler<HonoContext>(storage, { principal, raw });
      const app = new Hono<{ Bindings: HonoContext['env'] }>();
      app.use((c, next) => handle(c.req.raw, c, next));
      const { origin, close } = await listen(listener(app.fetch));
      t.teardown(close);
      for (const size of [0, 5, 20_000, 5 * MB]) {
        const body = Buffer.alloc(size, 'x');
        const put = await fetch(`${origin}/bucket/${size}`, { method: 'PUT', body });
        t.is(put.status, 200, await put.text());
        const got = await fetch(`${origin}/bucket/${size}`);
        t.is((await got.arrayBuffer()).byteLength, size);
      }
      const objects = [{ key: '5' }, { key: '20000' }];
      const body = JSON.stringify({ objects });
      const deleted = await fetch(`${origin}/bucket?delete`, { method: 'POST', body });
      t.is(deleted.status, 200, await deleted.text());
      const { contents } = await storage.listObjects({ bucket: 'bucket' });
      t.deepEqual(
        contents.map(({ key }) => key),
        ['0', `${5 * MB}`],
      );
    });
  }
}

test('Hono: if the context has no request of Node, the Request is used', async (t) => {
  const { storage } = await handler();
  await storage.putObject({ bucket: 'bucket', key: 'key', body: 'data' });
  const handle = toWebHandler<HonoContext>(storage, {
    principal: () => alice,
    raw: (_, c) => c.env,
  });
  const app = new Hono<{ Bindings: HonoContext['env'] }>();
  app.use((c, next) => handle(c.req.raw, c, next));
  for (const env of [undefined, {}, { SECRET: '1' }]) {
    const response = await app.request('http://localhost/bucket/key', {}, env as never);
    t.is(await response.text(), 'data');
  }
});

test('Hono on Node: a download whose storage fails ends the connection', async (t) => {
  const { storage } = await handler();
  await storage.putObject({ bucket: 'bucket', key: 'key', body: Buffer.alloc(MB) });
  const failing: typeof storage.handler = (options) => {
    const handle = storage.handler(options);
    const answer = async (request: Parameters<typeof handle>[0]) => {
      const response = await handle(request);
      const body = response?.body as import('node:stream').Readable;
      setTimeout(() => body.destroy(new Error('disk')), 20);
      return response;
    };
    return Object.assign(answer, { presign: handle.presign });
  };
  const handle = toWebHandler({ ...storage, handler: failing }, { principal: () => alice });
  const server = createServer(getRequestListener((request) => slowly(handle(request))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { socket, closed, received } = await open(`http://127.0.0.1:${port}`);
  socket.write(opening('GET', '/bucket/key'));
  await closed;
  t.false(received().includes('\r\n0\r\n'));
  t.true(received().length < MB);
});

/** A runtime that reads one chunk and then waits. */
async function slowly(coming: Promise<Response>): Promise<Response> {
  const { status, headers: found, body } = await coming;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const pull = async (controller: ReadableStreamDefaultController) => {
    const { done, value } = await reader.read();
    if (done) return controller.close();
    controller.enqueue(value);
    await sleep(40);
  };
  return new Response(new ReadableStream({ pull }), { status, headers: found });
}
