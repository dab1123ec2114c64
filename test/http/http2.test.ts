import { once } from 'node:events';
import {
  type ClientHttp2Stream,
  connect,
  createServer,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BlobStore,
  createObjectStorage,
  type HandlerOptions,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import { storageMiddleware as koaStorage } from '@bucketware/koa';
import { s3 } from '@bucketware/s3';
import { presignS3 } from '@bucketware/signature';
import test, { type ExecutionContext } from 'ava';
import Koa from 'koa';
import { until } from '../drivers/fixtures.js';
import { carriers } from './carriers.js';
import { onDisk } from './open-files.js';
import { alice, memoryStorage, principalOf } from './servers.js';
import { delegate } from './soundness.js';

const NODE = ['koa', 'node', 'fastify'] as const;
const ALL = [...NODE, 'hono'] as const;
/** In milliseconds. Much longer than the pauses of a client that is only slow. */
const STALL = 800;

/** An HTTP/2 server with a storage, and functions that send requests as Alice. */
const serve = (
  t: ExecutionContext,
  carrier: (typeof ALL)[number],
  storage: ObjectStorage,
  options: HandlerOptions = {},
) => listen(t, carriers[carrier](storage, options));

async function listen(t: ExecutionContext, listener: unknown) {
  // The frameworks take the requests of HTTP/2 for those of HTTP/1.1, which they resemble.
  const server = createServer(listener as Parameters<typeof createServer>[0]);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.teardown(() => {
    client.destroy();
    server.close();
  });
  /** `endStream`: whether there is no body. */
  const open = (
    headers: OutgoingHttpHeaders,
    body?: string,
    endStream = body === undefined,
  ): ClientHttp2Stream => {
    const length = body === undefined ? {} : { 'content-length': body.length };
    const options = { endStream };
    const stream = client.request(
      { authorization: 'Bearer alice', ...length, ...headers },
      options,
    );
    if (body !== undefined) stream.end(body);
    return stream;
  };
  const send = async (headers: OutgoingHttpHeaders, body?: string) => {
    const stream = open(headers, body);
    const [answered] = await once(stream, 'response');
    const data = await buffer(stream);
    return { status: answered[':status'], headers: answered, text: data.toString(), data };
  };
  return { client, open, send };
}

for (const carrier of ALL) {
  test(`${carrier}: in HTTP/2, the host decides which bucket is meant`, async (t) => {
    const storage = await memoryStorage();
    t.teardown(() => storage.close());
    for (const bucket of ['notes', 'photos']) await storage.as(alice).putBucket({ bucket });
    await storage.putObject({ bucket: 'photos', key: 'cat', body: 'the cat' });
    const { send } = await serve(t, carrier, storage, { baseHost: 'objects.example' });
    const put = { ':method': 'PUT', ':path': '/photos/cat' };
    const notes = 'notes.objects.example';
    t.is((await send({ ...put, ':authority': notes }, 'a dog')).status, 200);
    t.is((await send({ ...put, host: notes, ':path': '/bird' }, 'a bird')).status, 200);
    const { text } = await send({ ...put, ':authority': notes, host: 'x.example' }, 'a cow');
    t.regex(text, /host was sent more than once/);
    const { contents } = await storage.listObjects({ bucket: 'notes' });
    t.deepEqual(
      contents.map(({ key }) => key),
      ['bird', 'photos/cat'],
    );
    t.is(await (await storage.getObject({ bucket: 'photos', key: 'cat' })).text(), 'the cat');
    t.is(await (await storage.getObject({ bucket: 'notes', key: 'photos/cat' })).text(), 'a dog');
  });

  test(`${carrier}: in HTTP/2, pages on the same origin and signed links are recognized`, async (t) => {
    const storage = await memoryStorage();
    t.teardown(() => storage.close());
    await storage.as(alice).putBucket({ bucket: 'bucket' });
    const at = { ':authority': 'files.example', ':path': '/bucket/a', ':method': 'PUT' };
    const own = await serve(t, carrier, storage);
    t.is((await own.send({ ...at, origin: 'https://other.example' }, 'a')).status, 403);
    const cookie = ['a=1', 'b=2'];
    t.is((await own.send({ ...at, cookie, origin: 'http://files.example' }, 'a')).status, 200);

    const signer = { accessKey: 'AKALICE', secret: 'the secret of alice' };
    const credentials = { AKALICE: { secret: signer.secret, principal: alice } };
    const signed = await serve(t, carrier, storage, { dialect: s3({ credentials }) });
    const target = { publicUrl: 'http://files.example', path: '/bucket/a', method: 'GET' };
    const link = new URL(presignS3(signer, { ...target, now: Date.now(), expires: 60 }));
    const get = { ':path': link.pathname + link.search, authorization: '' };
    t.is((await signed.send({ ...get, ':authority': link.host })).text, 'a');
    t.regex(
      (await signed.send({ ...get, ':authority': 'x.example' })).text,
      /SignatureDoesNotMatch/,
    );
  });
}

for (const carrier of ALL) {
  test(`${carrier}: in HTTP/2, a long head is refused, but not long cookies`, async (t) => {
    const storage = await memoryStorage();
    t.teardown(() => storage.close());
    await storage.as(alice).putBucket({ bucket: 'bucket' });
    const { send } = await serve(t, carrier, storage);
    const lines = Array.from({ length: 20 }, () => '"'.repeat(2000));
    const list = { ':path': '/bucket' };
    t.is((await send({ ...list, cookie: lines })).status, 200);
    t.is((await send({ ...list, 'x-q': lines.slice(8) })).status, 200);
    for (const long of [
      { ...list, 'x-q': lines },
      { ':path': `/bucket?prefix=${lines.join('').replaceAll('"', 'p')}` },
    ]) {
      const { status, text } = await send(long);
      t.is(status, 400);
      t.regex(text, /InvalidHTTPRequest.*32 KB/);
    }
    const names = Array.from({ length: 201 }, (_, at) => `x${at}`);
    const { text } = await send({ ':path': `/bucket?${names.join('&')}` });
    t.regex(text, /more than 200 parameters/);
  });
}

for (const carrier of ALL) {
  test(`${carrier}: in HTTP/2, a body that no header announces is not ignored`, async (t) => {
    const storage = await memoryStorage();
    t.teardown(() => storage.close());
    await storage.as(alice).putBucket({ bucket: 'bucket' });
    await storage.putObject({ bucket: 'bucket', key: 'a', body: 'a' });
    const credentials = { AKALICE: { secret: 'the secret of alice', principal: alice } };
    const signed = await serve(t, carrier, storage, { dialect: s3({ credentials }) });
    const { open } = await serve(t, carrier, storage);
    const changes = [
      { ':method': 'DELETE', ':path': '/bucket/a' },
      { ':method': 'PUT', ':path': '/bucket?acl', 'x-svc-acl': 'private' },
      { ':method': 'PUT', ':path': '/other' },
    ];
    const finish = async (stream: ClientHttp2Stream, body: string) => {
      stream.end(body);
      const [{ ':status': status }] = await once(stream, 'response');
      stream.resume();
      return status;
    };
    const begin = (headers: OutgoingHttpHeaders) => open(headers, undefined, false);
    for (const change of changes) t.is(await finish(begin(change), 'x'), 400, change[':path']);
    await t.notThrowsAsync(storage.getObjectMeta({ bucket: 'bucket', key: 'a' }));
    for (const change of changes) t.true((await finish(begin(change), '')) < 300, change[':path']);
    const url = presignS3(
      { accessKey: 'AKALICE', secret: 'the secret of alice' },
      {
        publicUrl: 'http://x.example',
        path: '/third',
        method: 'PUT',
        now: Date.now(),
        expires: 60,
      },
    );
    const put = { ':method': 'PUT', ':path': url.slice('http://x.example'.length) };
    const to = { ...put, ':authority': 'x.example', authorization: '' };
    t.is(await finish(signed.open(to, undefined, false), 'x'), 400);
    t.is(await finish(signed.open(to, undefined, false), ''), 200);
  });
}

for (const carrier of NODE) {
  test(`${carrier}: in HTTP/2, a refused upload ends at once`, async (t) => {
    const storage = await memoryStorage();
    t.teardown(() => storage.close());
    const { client, send } = await serve(t, carrier, storage);
    const put = { ':method': 'PUT', ':path': '/absent/a', authorization: 'Bearer alice' };
    const stream = client.request({ ...put, 'content-length': 3_000_000 });
    stream.write('beginning');
    const errors: unknown[] = [];
    stream.on('error', (error) => errors.push(error));
    const [answered] = await once(stream, 'response');
    t.is(answered[':status'], 404);
    t.regex((await buffer(stream)).toString(), /NoSuchBucket/);
    if (!stream.closed) await once(stream, 'close');
    t.is(stream.rstCode, 0);
    t.deepEqual(errors, []);
    t.is((await send({ ':path': '/' })).status, 200);
  });
}

for (const carrier of NODE) {
  test(`${carrier}: in HTTP/2, a download that is not read ends without its connection`, async (t) => {
    const { storage, open: opened, closed } = await onDisk(t);
    await storage.putBucketAcl({ bucket: 'bucket', acl: 'public-read' });
    const errors: unknown[] = [];
    const wholes: boolean[] = [];
    storage.observe(({ complete }) => void wholes.push(complete));
    const onError = (error: unknown) => void errors.push(error);
    const { open, send } = await serve(t, carrier, storage, { stallTimeout: STALL, onError });
    const stalled = [1, 2, 3].map(() => open({ ':path': '/bucket/large' }).pause());
    await Promise.all(stalled.map((stream) => once(stream, 'response')));
    t.is(await opened(), 3);
    const ends = stalled.map((stream) => once(stream, 'close').catch(() => {}));
    // They end although another download makes progress on the same connection.
    const slow = open({ ':path': '/bucket/large' });
    const reading = readSlowly(slow, (bytes) => bytes / 600); // 5 s
    await until(async () => (await opened()) <= 1);
    t.false(slow.readableEnded);
    t.is(await reading, 3_000_000);
    t.true(await closed());
    for (const stream of stalled) stream.resume();
    await Promise.all(ends);
    t.true(stalled.every(({ rstCode }) => rstCode !== 0));
    t.is((await send({ ':path': '/bucket/large' })).data.length, 3_000_000);
    await until(() => wholes.length === 5);
    t.deepEqual(wholes.sort(), [false, false, false, true, true]);
    t.deepEqual(errors, []);
  });

  test(`${carrier}: in HTTP/2, a client that reads slowly but steadily gets everything`, async (t) => {
    const { storage } = await onDisk(t);
    await storage.putBucketAcl({ bucket: 'bucket', acl: 'public-read' });
    await storage.putObject({ bucket: 'bucket', key: 'slow', body: Buffer.alloc(400_000, 'x') });
    const { open } = await serve(t, carrier, storage, { stallTimeout: STALL });
    t.is(await readSlowly(open({ ':path': '/bucket/slow' }), () => 400), 400_000);
  });

  test(`${carrier}: in HTTP/2, a download whose data cannot be read does not look complete`, async (t) => {
    const storage = await storageAbove({
      ...delegate(memoryBlobs()),
      read: async () => Readable.from(failingData()),
    });
    t.teardown(() => storage.close());
    const { open } = await serve(t, carrier, storage, { onError: () => {} });
    const stream = open({ ':path': '/bucket/large' });
    stream.on('error', () => {}).resume();
    await once(stream, 'close').catch(() => {});
    t.not(stream.rstCode, 0);
  });
}

test('koa: in HTTP/2, the app adds headers to downloads, and may replace them', async (t) => {
  const { storage, closed } = await onDisk(t);
  await storage.putBucketAcl({ bucket: 'bucket', acl: 'public-read' });
  const app = new Koa();
  app.use(async (ctx, next) => {
    await next();
    ctx.set('x-seen', String(ctx.status));
    if (ctx.path === '/bucket/large') ctx.body = 'nothing for you';
  });
  app.use(koaStorage(storage, { principal: () => undefined }));
  const { send } = await listen(t, app.callback());
  for (const [method, path] of [
    ['HEAD', '/bucket/large'],
    ['GET', '/bucket'],
    ['GET', '/bucket/absent'],
  ]) {
    const { status, headers } = await send({ ':method': method, ':path': path });
    t.is(headers['x-seen'], String(status), path);
  }
  t.is((await send({ ':path': '/bucket/large' })).text, 'nothing for you');
  t.true(await closed());
});

test('koa: in HTTP/2, a response that the app replaces gives back its memory', async (t) => {
  const storage = await memoryStorage({ jsonMemory: 3_000_000 });
  t.teardown(() => storage.close());
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    await next();
    if (ctx.method === 'POST') throw new Error('The log of requests cannot be written.');
  });
  app.use(koaStorage(storage, { principal: (ctx) => principalOf(ctx.req) }));
  const { send } = await listen(t, app.callback());
  const names = Array.from({ length: 1_000 }, (_, at) => `${at}-${'x'.repeat(300)}`);
  const body = JSON.stringify({ objects: names.map((key) => ({ key })) });
  const remove = { ':method': 'POST', ':path': '/bucket?delete' };
  for (let round = 0; round < 10; round++) t.is((await send(remove, body)).status, 500);
  for (const key of names) await storage.putObject({ bucket: 'bucket', key, body: '' });
  t.is((await send({ ':path': '/bucket' })).status, 200);
});

/** Pauses after each half of the window at least, however large the chunks of Node are. */
async function readSlowly(
  stream: ClientHttp2Stream,
  pauseAfter: (bytes: number) => number,
): Promise<number> {
  let size = 0;
  let unpaused = 0;
  for await (const chunk of stream) {
    size += (chunk as Buffer).length;
    unpaused += (chunk as Buffer).length;
    if (unpaused < 32_768) continue;
    await sleep(pauseAfter(unpaused));
    unpaused = 0;
  }
  return size;
}

async function* failingData() {
  yield Buffer.alloc(100_000, 'x');
  throw new Error('The disk has failed.');
}

/** A storage with `bucket`, which everyone may read, and the object `large`. */
async function storageAbove(blobs: BlobStore) {
  const storage = await createObjectStorage({ blobs, metadata: memoryMetadata() });
  await storage.putBucket({ bucket: 'bucket', acl: 'public-read' });
  await storage.putObject({ bucket: 'bucket', key: 'large', body: Buffer.alloc(300_000, 'x') });
  return storage;
}

for (const carrier of NODE) {
  test(`${carrier}: in HTTP/2, a path or query with other characters than ASCII is refused`, async (t) => {
    const storage = await memoryStorage();
    t.teardown(() => storage.close());
    await storage.as(alice).putBucket({ bucket: 'bucket' });
    const { send } = await serve(t, carrier, storage);
    const raw = Buffer.from('é').toString('latin1');
    await storage.putObject({ bucket: 'bucket', key: raw, body: 'not meant' });
    for (const path of [`/bucket/${raw}`, `/bucket?prefix=${raw}`, '/bucket/\xff', '/\xe9bucket']) {
      for (const method of ['GET', 'DELETE', 'PUT']) {
        const { status, text } = await send({ ':path': path, ':method': method });
        t.is(status, 400);
        t.regex(text, /"InvalidURI".*Percent-encode/);
      }
    }
    const encoded = await send({ ':path': `/bucket/${encodeURIComponent(raw)}` });
    t.is(encoded.text, 'not meant');
  });

  test(`${carrier}: the body of a download that nobody reads does not stay in memory`, async (t) => {
    const storage = await memoryStorage();
    t.teardown(() => storage.close());
    await storage.as(alice).putBucket({ bucket: 'bucket' });
    await storage.putObject({ bucket: 'bucket', key: 'a', body: Buffer.alloc(1_000_000) });
    const { open } = await serve(t, carrier, storage);
    const stream = open(
      { ':path': '/bucket/a', ':method': 'GET' },
      Buffer.alloc(500_000).toString(),
    );
    const [answered] = await once(stream, 'response');
    t.is(answered[':status'], 200);
    // More than the window of the stream, so the server has read it.
    await until(() => stream.writableFinished);
    t.false(stream.readableEnded);
    stream.close();
  });
}
