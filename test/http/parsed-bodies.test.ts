import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ObjectStorage } from '@bucketware/core';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storageMiddleware as koaStorage } from '@bucketware/koa';
import test, { type ExecutionContext } from 'ava';
import express, { type RequestHandler } from 'express';
import express4 from 'express4';
import Koa from 'koa';
import { checkBodies } from './listened-bodies.js';
import { call, open, opening, type RawOptions } from './raw.js';
import { alice, listen, memoryStorage, onKoa, principalOf } from './servers.js';

const versions = { 'Express 5': express, 'Express 4': express4 };

async function prepared(): Promise<ObjectStorage> {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  await storage.as(alice).putObject({ bucket: 'bucket', key: 'old', body: 'old' });
  return storage;
}

/** An Express app with a body parser before the storage. */
async function behind(t: ExecutionContext, framework: typeof express, parser: RequestHandler) {
  const storage = await prepared();
  const app = framework();
  app.use(parser);
  app.use('/storage', expressStorage(storage, { principal: principalOf }));
  const { origin, close } = await listen(app);
  t.teardown(close);
  return origin;
}

const put = (origin: string, key: string, type: string, options: RawOptions) => {
  const headers = { 'content-type': type, ...options.headers };
  return call(origin, 'PUT', `/storage/bucket/${key}`, { ...options, headers });
};

const deleteOld = (origin: string, type: string) => {
  const body = '{"objects":[{"key":"old"}]}';
  const headers = { 'content-type': type };
  return call(origin, 'POST', '/storage/bucket?delete', { headers, body });
};

async function proveRefused(t: ExecutionContext, origin: string, key: string, type: string) {
  const answer = await put(origin, key, type, { body: '{"a": 1}' });
  t.is(answer.status, 500);
  const { code, message } = JSON.parse(answer.text);
  t.is(code, 'InternalError');
  t.regex(message, /body parser/i);
  t.regex(message, /before body parsers/i);
  const found = await call(origin, 'GET', `/storage/bucket/${key}`);
  t.is(found.text, key === 'old' ? 'old' : found.text);
  t.is(found.status, key === 'old' ? 200 : 404);
}

for (const [name, framework] of Object.entries(versions)) {
  test(`${name}: behind express.urlencoded(), the error for a body parsed as a form names the parser`, async (t) => {
    const origin = await behind(t, framework, framework.urlencoded({ extended: false }));
    const answer = await deleteOld(origin, 'application/x-www-form-urlencoded');
    t.is(answer.status, 500);
    t.regex(JSON.parse(answer.text).message, /body parser.*express\.urlencoded\(\)/);
    t.is((await deleteOld(origin, 'application/json')).status, 200);
  });

  test(`${name}: behind express.json(), JSON operations work with the parsed body`, async (t) => {
    const origin = await behind(t, framework, framework.json());
    t.is((await deleteOld(origin, 'application/json')).status, 200);
    t.is((await call(origin, 'GET', '/storage/bucket/old')).status, 404);
    const headers = { 'content-type': 'application/json' };
    const wrong = await call(origin, 'POST', '/storage/bucket?delete', { headers, body: '{}' });
    t.is(JSON.parse(wrong.text).code, 'InappropriateJSON');
  });

  test(`${name}: behind express.json(), storing a JSON object is rejected with advice, and nothing is stored`, async (t) => {
    const origin = await behind(t, framework, framework.json());
    await proveRefused(t, origin, 'new', 'application/json');
    await proveRefused(t, origin, 'old', 'application/json; charset=utf-8');
  });

  test(`${name}: behind express.json(), objects of other types are stored unchanged`, async (t) => {
    const origin = await behind(t, framework, framework.json());
    for (const type of ['text/plain', 'application/octet-stream', 'application/ld+json']) {
      t.is((await put(origin, 'new', type, { body: '{"a": 1}' })).status, 200);
      t.is((await call(origin, 'GET', '/storage/bucket/new')).text, '{"a": 1}');
    }
  });

  test(`${name}: behind express.raw(), the bytes of the parser are stored`, async (t) => {
    const origin = await behind(t, framework, framework.raw({ type: () => true, limit: '5mb' }));
    for (const body of [Buffer.from([0, 255, 10, 13]), Buffer.alloc(1_000_000, 'raw')]) {
      t.is((await put(origin, 'new', 'text/plain', { body })).status, 200);
      t.true(body.equals((await call(origin, 'GET', '/storage/bucket/new')).body));
      const chunked = { body, headers: { 'transfer-encoding': 'chunked' } };
      t.is((await put(origin, 'new', 'text/plain', chunked)).status, 200);
      t.true(body.equals((await call(origin, 'GET', '/storage/bucket/new')).body));
    }
    const headers = { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' };
    const wrong = await put(origin, 'wrong', 'text/plain', { body: 'x', headers });
    t.is(JSON.parse(wrong.text).code, 'BadDigest');
    t.is((await deleteOld(origin, 'application/json')).status, 200);
    t.is((await call(origin, 'GET', '/storage/bucket/old')).status, 404);
  });

  test(`${name}: behind express.raw(), decompressed bytes are not stored in place of the original ones`, async (t) => {
    const origin = await behind(t, framework, framework.raw({ type: () => true }));
    const body = gzipSync('unpacked');
    for (const framing of [{}, { 'transfer-encoding': 'chunked' }]) {
      const headers = { 'content-encoding': 'gzip', ...framing };
      const answer = await put(origin, 'new', 'text/plain', { body, headers });
      const found = await call(origin, 'GET', '/storage/bucket/new');
      if (answer.status === 200) t.deepEqual(found.body, body);
      else t.is(found.status, 404);
    }
  });

  test(`${name}: behind express.text(), objects are rejected, and JSON works`, async (t) => {
    const origin = await behind(t, framework, framework.text({ type: () => true }));
    await proveRefused(t, origin, 'new', 'text/plain');
    await proveRefused(t, origin, 'old', 'text/plain');
    t.is((await deleteOld(origin, 'text/plain')).status, 200);
    t.is((await call(origin, 'GET', '/storage/bucket/old')).status, 404);
  });

  test(`${name}: behind a parser that discards bodies, they are rejected`, async (t) => {
    const origin = await behind(t, framework, (req, _res, next) => {
      req.resume();
      req.on('end', next);
    });
    await proveRefused(t, origin, 'new', 'text/plain');
    const answer = await deleteOld(origin, 'application/json');
    t.is(answer.status, 500);
    t.regex(JSON.parse(answer.text).message, /body parser/i);
    t.is((await call(origin, 'GET', '/storage/bucket/old')).status, 200);
  });
}

/** What apps may do with a request before it reaches the storage. */
const LISTENERS: readonly (readonly [string, boolean, (req: IncomingMessage) => void])[] = [
  ['counts what flows', true, (req) => req.on('data', () => {})],
  ['lets it flow', true, (req) => req.resume()],
  ['counts, and has paused it', true, (req) => req.on('data', () => {}).pause()],
  ['reads in the next turn', false, (req) => setImmediate(() => req.on('data', () => {}))],
  ['reads when it can', false, (req) => req.on('readable', () => req.read())],
  ['has it decoded', false, (req) => req.setEncoding('utf8')],
  ['has it decoded and counts', false, (req) => req.setEncoding('utf8').on('data', () => {})],
];

for (const [what, isWhole, listenTo] of LISTENERS) {
  test(`behind an app that ${what}, a body is never truncated`, async (t) => {
    const storage = await prepared();
    const app = new Koa();
    app.use((ctx, next) => {
      if (ctx.method === 'PUT') listenTo(ctx.req);
      return next();
    });
    const principal = (ctx: Koa.Context) => principalOf(ctx.req);
    app.use(koaStorage(storage, { mount: '/storage', principal }));
    const { origin, close } = await listen(app.callback());
    t.teardown(close);
    await checkBodies(t, origin, isWhole);
  });
}

test('an app that listens to bodies keeps its connections when the storage rejects unread ones', async (t) => {
  const storage = await prepared();
  const app = new Koa();
  let seen = 0;
  app.use((ctx, next) => {
    ctx.req.on('data', (chunk: Buffer) => {
      seen += chunk.length;
    });
    return next();
  });
  const principal = (ctx: Koa.Context) => principalOf(ctx.req);
  app.use(koaStorage(storage, { mount: '/storage', principal }));
  app.use(async (ctx) => {
    for await (const _ of ctx.req);
    ctx.body = `${seen}`;
  });
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  const connection = await open(origin);
  const length = 'Content-Length: 100000';
  connection.socket.write(opening('PUT', '/storage/absent/key', length));
  connection.socket.write(Buffer.alloc(100_000));
  connection.socket.write(opening('PUT', '/elsewhere', length, 'Connection: close'));
  connection.socket.write(Buffer.alloc(100_000));
  await connection.closed;
  const answers = connection.received().toString();
  t.regex(answers, /^HTTP\/1.1 404 .*NoSuchBucket.*HTTP\/1.1 200 /s);
  t.regex(answers, /\r\n\r\n200000$/);
});

test.serial('apps that replace the timers, like tests, delay no request', async (t) => {
  const storage = await prepared();
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  const { setImmediate } = globalThis;
  globalThis.setImmediate = (() => {}) as unknown as typeof setImmediate;
  t.teardown(() => {
    globalThis.setImmediate = setImmediate;
  });
  t.is((await call(origin, 'GET', '/bucket/old')).text, 'old');
});

test('Koa: behind a body parser, JSON operations work, parsed objects are rejected, and bytes are stored', async (t) => {
  const storage = await prepared();
  const app = new Koa();
  app.use(async (ctx, next) => {
    const chunks: Buffer[] = [];
    if (ctx.is('json', 'image/*')) {
      for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
      const bytes = Buffer.concat(chunks);
      const body = ctx.is('json') ? JSON.parse(bytes.toString()) : bytes;
      Object.assign(ctx.request, { body });
    }
    await next();
  });
  const principal = (ctx: Koa.Context) => principalOf(ctx.req);
  app.use(koaStorage(storage, { mount: '/storage', principal }));
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  await proveRefused(t, origin, 'new', 'application/json');
  await proveRefused(t, origin, 'old', 'application/json');
  for (const type of ['text/plain', 'image/png']) {
    t.is((await put(origin, 'new', type, { body: `as ${type}` })).status, 200);
    t.is((await call(origin, 'GET', '/storage/bucket/new')).text, `as ${type}`);
  }
  t.is((await deleteOld(origin, 'application/json')).status, 200);
  t.is((await call(origin, 'GET', '/storage/bucket/old')).status, 404);
});
