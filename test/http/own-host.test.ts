import type { IncomingMessage, RequestListener } from 'node:http';
import type { HandlerOptions, ObjectStorage } from '@bucketware/core';
import { serve } from '@bucketware/core/node';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storageMiddleware as koaStorage, storageRouter } from '@bucketware/koa';
import Router from '@koa/router';
import test, { type ExecutionContext } from 'ava';
import express from 'express';
import express4 from 'express4';
import Koa, { type Context, type Middleware } from 'koa';
import { bodyOf, call, open } from './raw.js';
import { listen, memoryStorage, principalOf } from './servers.js';

const HOST = 's3.example';

/** Apps with a storage, and routes of their own that respond with the path and the body. */
const apps: Readonly<
  Record<string, (storage: ObjectStorage, options: HandlerOptions) => RequestListener>
> = {
  koa: (storage, options) => koaApp(koaStorage(storage, { ...options, principal: byKoa })),
  '@koa/router': (storage, options) =>
    koaApp(storageRouter(storage, { ...options, principal: byKoa }).routes() as Middleware),
  express5: (storage, options) => expressApp(express(), storage, options),
  express4: (storage, options) => expressApp(express4(), storage, options),
  node: (storage, options) => {
    const handle = storage.handler(options);
    return async (req, res) => {
      const context = { url: req.url ?? '/', mount: '', principal: () => principalOf(req) };
      if (await serve(handle, req, res, context)) return;
      res.end(`app ${req.method} ${req.url} ${await textOf(req)}`);
    };
  },
};

const byKoa = (ctx: Context) => principalOf(ctx.req);

const textOf = async (req: IncomingMessage): Promise<string> =>
  Buffer.concat(await req.toArray()).toString();

function koaApp(storage: Middleware): RequestListener {
  const app = new Koa();
  app.silent = true;
  app.use(storage);
  const router = new Router();
  router.all('/{*path}', async (ctx) => {
    ctx.body = `app ${ctx.method} ${ctx.url} ${await textOf(ctx.req)}`;
  });
  app.use(router.routes());
  return app.callback();
}

function expressApp(
  app: express.Express,
  storage: ObjectStorage,
  options: HandlerOptions,
): RequestListener {
  app.use(expressStorage(storage, { ...options, principal: principalOf }));
  app.use(async (req, res) => {
    res.end(`app ${req.method} ${req.url} ${await textOf(req)}`);
  });
  return app;
}

/** Starts an app with two buckets, `first` and `second`, each with the object `key`. */
async function start(t: ExecutionContext, name: string, options: HandlerOptions) {
  const storage = await memoryStorage();
  const app = apps[name]?.(storage, { authorize: () => true, ...options });
  const { origin, close } = await listen(app as RequestListener);
  t.teardown(async () => {
    await close();
    await storage.close();
  });
  for (const bucket of ['first', 'second']) {
    await storage.putBucket({ bucket });
    await storage.putObject({ bucket, key: 'key', body: `from ${bucket}` });
  }
  const get = async (host: string, path: string, headers = {}) =>
    (await call(origin, 'GET', path, { headers: { host, ...headers } })).text;
  return { storage, origin, get };
}

for (const name of Object.keys(apps)) {
  test(`${name}: a storage with its own host is at the root of it, and other hosts belong to the app`, async (t) => {
    const { storage, origin, get } = await start(t, name, { host: HOST });
    t.is(await get(HOST, '/first/key'), 'from first');
    t.is(await get('S3.Example:8080', '/first/key'), 'from first');
    t.is(await get(`${HOST}.`, '/first/key'), 'from first');
    t.is(await get(`first.${HOST}:80`, '/key'), 'from first');
    t.regex(await get(HOST, '/'), /"owner":{"id":"u-alice"/);
    const put = { headers: { host: HOST }, body: 'new' };
    t.is((await call(origin, 'PUT', '/first/a//../b', put)).status, 200);
    t.is(await get(HOST, '/first/a//../b'), 'new');

    for (const host of [
      '127.0.0.1',
      'example',
      `${HOST}.evil`,
      `x${HOST}`,
      `a@${HOST}`,
      `${HOST}..`,
    ]) {
      t.is(await get(host, '/first/key'), 'app GET /first/key ', host);
    }
    const posted = { headers: { host: 'www.example' }, body: 'a body' };
    t.is(
      (await call(origin, 'POST', '/first/key?a=%2F', posted)).text,
      'app POST /first/key?a=%2F a body',
    );
    t.is((await storage.listObjects({ bucket: 'first' })).contents.length, 2);
  });
}

test('with `mount` as well, both places lead to the same objects, and the app keeps the rest', async (t) => {
  const { get } = await start(t, 'koa', { host: HOST, mount: '/storage' });
  t.is(await get(HOST, '/first/key'), 'from first');
  t.is(await get('www.example', '/storage/first/key'), 'from first');
  t.is(await get('www.example', '/first/key'), 'app GET /first/key ');
  t.regex(await get(HOST, '/storage/first/key'), /NoSuchBucket/);
});

test('a storage at the root of all hosts needs `mount`', async (t) => {
  const { get } = await start(t, 'koa', { host: HOST, mount: '/' });
  t.is(await get('www.example', '/first/key'), 'from first');
  t.is(await get(`second.${HOST}`, '/key'), 'from second');
});

test('the longest matching host name applies, and no host is a bucket of another', async (t) => {
  const { get } = await start(t, 'koa', {
    ...{ host: HOST, baseHost: `second.${HOST}`, hosts: { [`cdn.${HOST}`]: 'second' } },
  });
  t.is(await get(`first.${HOST}`, '/key'), 'from first');
  t.is(await get(`first.second.${HOST}`, '/key'), 'from first');
  t.is(await get(`cdn.${HOST}`, '/key'), 'from second');
  t.is(await get(`second.${HOST}`, '/key'), 'app GET /key ');
  t.regex(await get(`.${HOST}`, '/key'), /InvalidBucketName/);
});

test('X-Forwarded-Host is used only behind a trusted proxy', async (t) => {
  const forwarded = (host: string) => ({ 'x-forwarded-host': host });
  const direct = await start(t, 'koa', { host: HOST });
  t.is(await direct.get('www.example', '/first/key', forwarded(HOST)), 'app GET /first/key ');
  t.is(await direct.get(HOST, '/first/key', forwarded('www.example')), 'from first');
  const behind = await start(t, 'koa', { host: HOST, trustProxy: true });
  t.is(await behind.get('internal', '/first/key', forwarded(HOST)), 'from first');
  t.is(await behind.get(HOST, '/first/key', forwarded('www.example')), 'app GET /first/key ');
});

test('publicUrl is that of the mount or, without a mount, of the host', async (t) => {
  const locationAt = async (origin: string, host: string, base = '') => {
    const sent = (body?: string) => ({ headers: { host }, ...(body && { body }) });
    const begun = await call(origin, 'POST', `${base}/first/big?uploads`, sent());
    const { uploadId } = JSON.parse(begun.text);
    const path = `${base}/first/big?uploadId=${uploadId}`;
    const { headers } = await call(origin, 'PUT', `${path}&partNumber=1`, sent('x'));
    const body = JSON.stringify({ parts: [{ partNumber: 1, eTag: headers.etag }] });
    return JSON.parse((await call(origin, 'POST', path, sent(body))).text).location;
  };
  const publicUrl = 'https://www.example/files';
  const both = await start(t, 'koa', { host: HOST, mount: '/storage', publicUrl });
  t.is(await locationAt(both.origin, 'internal', '/storage'), `${publicUrl}/first/big`);
  t.is(await locationAt(both.origin, `${HOST}:8080`), `http://${HOST}:8080/first/big`);
  const alone = await start(t, 'koa', { host: HOST, publicUrl: 'https://s3.public' });
  t.is(await locationAt(alone.origin, HOST), 'https://s3.public/first/big');
  const headers = { host: HOST, origin: 'https://s3.public' };
  t.is((await call(alone.origin, 'PUT', '/first/new', { headers, body: 'x' })).status, 200);
});

test('a request target in absolute form is refused at the host of the storage, and left to the app elsewhere', async (t) => {
  const { origin } = await start(t, 'node', { host: HOST });
  const send = async (target: string, ...hosts: string[]) => {
    const { socket, closed, received } = await open(origin);
    const lines = hosts.map((host) => `Host: ${host}`);
    const login = 'Authorization: Bearer alice';
    const head = [`GET ${target} HTTP/1.1`, ...lines, login, 'Connection: close', '', ''];
    socket.write(head.join('\r\n'));
    await closed;
    return bodyOf(received()).toString();
  };
  for (const host of [HOST, 'www.example', '']) {
    for (const target of [
      `http://${HOST}:80/first/key`,
      `HTTP://first.${HOST.toUpperCase()}/key?a`,
      `http://${HOST}?a=/first/key`,
    ])
      t.regex(await send(target, host), /"InvalidURI".*without the host/);
  }
  const foreign = 'http://www.example/first/key';
  t.is(await send(foreign, HOST), `app GET ${foreign} `);
  for (const target of ['/first/key', `http://${HOST}/first/key`]) {
    t.regex(await send(target, HOST, 'www.example'), /Host.* more than once/i);
    t.regex(await send(target, 'www.example', HOST), /Host.* more than once/i);
  }
});

test('at the host of the storage, a page of the app has a different origin', async (t) => {
  const publicUrl = 'http://www.example/storage';
  const { storage, origin } = await start(t, 'koa', { host: HOST, mount: '/storage', publicUrl });
  const put = (host: string, page: string, base = '') =>
    call(origin, 'PUT', `${base}/first/new`, { headers: { host, origin: page }, body: 'new' });
  t.is((await put('www.example', 'http://www.example', '/storage')).status, 200);
  t.is((await put(HOST, `http://${HOST}`)).status, 200);
  t.is((await put(HOST, 'http://www.example')).status, 403);
  t.is((await put(`first.${HOST}`, `http://${HOST}`)).status, 403);

  const rule = { allowedOrigins: ['http://www.example'], allowedMethods: ['PUT'] };
  await storage.putBucketCors({ bucket: 'first', corsConfiguration: [rule] });
  t.is((await put(HOST, 'http://www.example')).status, 200);
  const headers = { origin: 'http://www.example', 'access-control-request-method': 'PUT' };
  const preflight = (host: string, path: string) =>
    call(origin, 'OPTIONS', path, { headers: { host, ...headers } });
  const allowed = await preflight(HOST, '/first/new');
  t.is(allowed.headers['access-control-allow-origin'], 'http://www.example');
  t.is((await preflight(HOST, '/second/new')).headers['access-control-allow-origin'], undefined);
  t.is((await preflight('www.example', '/first/new')).text, 'app OPTIONS /first/new ');
});
