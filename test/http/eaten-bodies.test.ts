import { gzipSync } from 'node:zlib';
import type { ObjectStorage } from '@bucketware/core';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storageMiddleware as koaStorage } from '@bucketware/koa';
import test, { type ExecutionContext } from 'ava';
import express, { type RequestHandler } from 'express';
import express4 from 'express4';
import Koa from 'koa';
import { call, type RawOptions } from './raw.js';
import { alice, listen, memoryStorage, principalOf } from './servers.js';

const versions = { 'Express 5': express, 'Express 4': express4 };

async function prepared(): Promise<ObjectStorage> {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  await storage.as(alice).putObject({ bucket: 'bucket', key: 'old', body: 'old' });
  return storage;
}

/** An Express app with a body parser in front of the storage. */
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
  test(`${name}: behind express.urlencoded() a body that was taken for a form names the parser`, async (t) => {
    const origin = await behind(t, framework, framework.urlencoded({ extended: false }));
    const answer = await deleteOld(origin, 'application/x-www-form-urlencoded');
    t.is(answer.status, 500);
    t.regex(JSON.parse(answer.text).message, /body parser.*express\.urlencoded\(\)/);
    t.is((await deleteOld(origin, 'application/json')).status, 200);
  });

  test(`${name}: behind express.json() JSON operations work, with what it made of the body`, async (t) => {
    const origin = await behind(t, framework, framework.json());
    t.is((await deleteOld(origin, 'application/json')).status, 200);
    t.is((await call(origin, 'GET', '/storage/bucket/old')).status, 404);
    const headers = { 'content-type': 'application/json' };
    const wrong = await call(origin, 'POST', '/storage/bucket?delete', { headers, body: '{}' });
    t.is(JSON.parse(wrong.text).code, 'InappropriateJSON');
  });

  test(`${name}: behind express.json() a JSON object is refused with the way to mend it, and nothing is stored`, async (t) => {
    const origin = await behind(t, framework, framework.json());
    await proveRefused(t, origin, 'new', 'application/json');
    await proveRefused(t, origin, 'old', 'application/json; charset=utf-8');
  });

  test(`${name}: behind express.json() objects of other types are stored as they came`, async (t) => {
    const origin = await behind(t, framework, framework.json());
    for (const type of ['text/plain', 'application/octet-stream', 'application/ld+json']) {
      t.is((await put(origin, 'new', type, { body: '{"a": 1}' })).status, 200);
      t.is((await call(origin, 'GET', '/storage/bucket/new')).text, '{"a": 1}');
    }
  });

  test(`${name}: behind express.raw() the bytes that it kept are stored`, async (t) => {
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

  test(`${name}: behind express.raw() bytes that it has unpacked are not taken for those that came`, async (t) => {
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

  test(`${name}: behind express.text() an object is refused, and JSON works`, async (t) => {
    const origin = await behind(t, framework, framework.text({ type: () => true }));
    await proveRefused(t, origin, 'new', 'text/plain');
    await proveRefused(t, origin, 'old', 'text/plain');
    t.is((await deleteOld(origin, 'text/plain')).status, 200);
    t.is((await call(origin, 'GET', '/storage/bucket/old')).status, 404);
  });

  test(`${name}: behind a parser that keeps nothing, bodies are refused`, async (t) => {
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

test('Koa: behind a body parser JSON operations work, objects are refused, and bytes are stored', async (t) => {
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
