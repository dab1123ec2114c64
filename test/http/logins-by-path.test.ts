import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { storageConsole } from '@bucketware/console/express';
import type { ObjectStorage } from '@bucketware/core';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storagePlugin } from '@bucketware/fastify';
import { storageMiddleware } from '@bucketware/koa';
import { toWebHandler } from '@bucketware/web';
import { getRequestListener } from '@hono/node-server';
import test from 'ava';
import express from 'express';
import express4 from 'express4';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { getRequestListener as listenerOf1 } from 'hono-node-server-1';
import Koa from 'koa';
import type { HonoContext } from './carriers.js';
import { call } from './raw.js';
import { alice, listen, memoryStorage } from './servers.js';

const OPTIONS = { mount: '/storage', principal: () => alice };

const inExpress = (create: typeof express) => (storage: ObjectStorage) => {
  const app = create();
  app.use('/storage', (req, res, next) => {
    if (req.get('authorization') === 'yes') next();
    else res.sendStatus(401);
  });
  app.use(expressStorage(storage, OPTIONS));
  return app;
};

/** Routers match `/api//storage`, too, in Express 4. */
const nestedInExpress = (create: typeof express, at: 'all' | 'use') => (storage: ObjectStorage) => {
  const app = create();
  const hasLogin: express.RequestHandler = (req, res, next) => {
    if (req.get('authorization') === 'yes') next();
    else res.sendStatus(401);
  };
  app.use(['/storage', '/api/storage', '/api/console'], hasLogin);
  const router = create.Router();
  const handler = expressStorage(storage, { principal: () => alice });
  if (at === 'use') router.use('/storage', handler);
  else router.all(create === express ? '/storage{/*path}' : '/storage/*', handler);
  router.use('/console', storageConsole(storage, { principal: () => alice }));
  app.use('/api', router);
  const outer = create.Router();
  outer.use('/', app);
  return create().use('/', outer);
};

const inHono =
  (listener: typeof getRequestListener, raw?: (_: Request, c: HonoContext) => HonoContext['env']) =>
  (storage: ObjectStorage) => {
    const handle = toWebHandler<HonoContext>(storage, { ...OPTIONS, raw });
    const app = new Hono<{ Bindings: HonoContext['env'] }>();
    app.use('/storage/*', async (c, next) =>
      c.req.header('authorization') === 'yes' ? next() : c.text('Log in.', 401),
    );
    app.use((c, next) => handle(c.req.raw, c, next));
    return listener(app.fetch) as RequestListener;
  };

/** Apps with a login of their own for everything below `/storage`. All callers count as alice. */
const APPS: Readonly<Record<string, (storage: ObjectStorage) => RequestListener>> = {
  Koa: (storage) => {
    const app = new Koa();
    app.use((ctx, next) => {
      const isBelow = ctx.path === '/storage' || ctx.path.startsWith('/storage/');
      if (!isBelow || ctx.get('authorization') === 'yes') return next();
      ctx.status = 401;
    });
    return app.use(storageMiddleware(storage, OPTIONS)).callback();
  },
  'Express 5': inExpress(express),
  'Express 4': inExpress(express4 as typeof express),
  'Express 5, nested': nestedInExpress(express, 'use'),
  'Express 4, nested': nestedInExpress(express4 as typeof express, 'use'),
  'Express 5, nested route': nestedInExpress(express, 'all'),
  'Express 4, nested route': nestedInExpress(express4 as typeof express, 'all'),
  Fastify: (storage) => {
    const app = Fastify();
    app.register(async (scope) => {
      scope.addHook('onRequest', async ({ headers }, reply) => {
        if (headers.authorization !== 'yes') await reply.code(401).send();
      });
      scope.register(storagePlugin(storage, { principal: () => alice }), { prefix: '/storage' });
    });
    return async (req, res) => {
      await app.ready();
      app.routing(req, res);
    };
  },
  'Fastify, by the raw URL': (storage) => {
    const app = Fastify();
    app.addHook('onRequest', async ({ url, headers }, reply) => {
      const { pathname } = new URL(url, 'http://host');
      const isBelow = pathname.startsWith('/storage') || url.startsWith('/storage');
      if (isBelow && headers.authorization !== 'yes') await reply.code(401).send();
    });
    app.register(storagePlugin(storage, { principal: () => alice }), { prefix: '/storage' });
    return async (req, res) => {
      await app.ready();
      app.routing(req, res);
    };
  },
  'Hono 1': inHono(listenerOf1 as typeof getRequestListener),
  'Hono 2': inHono(getRequestListener),
  'Hono 1, raw': inHono(listenerOf1 as typeof getRequestListener, (_, c) => c.env),
  'Hono 2, raw': inHono(getRequestListener, (_, c) => c.env),
};

/** The app and the storage could see different paths in these. */
const TARGETS = [
  ...['/storage/bucket/k', '/storage/bucket/../../k', '/storage/bucket/%2e%2E/.%2e/k'],
  ...[
    '/storage/bucket/..\\..\\k',
    '/storage/bucket/x/../../../k',
    '/storage/..',
    '/storage\\bucket/k',
  ],
  ...['/./storage/bucket/k', '/a/../storage/bucket/k', '//storage/bucket/k', '/storage//bucket/k'],
  ...[
    '/storage#/../bucket/k',
    '/storage/bucket/k?/../..',
    '/storage;/bucket/k',
    '/%73torage/bucket/k',
    '/%53TORAGE/bucket/k',
  ],
  ...['http:///storage/bucket/k', 'http:////storage/bucket/k', 'http:/storage/bucket/k'],
  ...['HTTPS:///storage/bucket/k', 'http://a\\@x/storage/bucket/k', 'http://x\\/storage/bucket/k'],
  ...['@', ';', 'a;b', 'a%2fb', '%2f', 'a"b', 'a:1:2', ':', ':80', '$', 'a,', "a'b"].map(
    (host) => `http://${host}/storage/bucket/k`,
  ),
];

const NESTED = [
  ...['/api//storage/bucket/k', '//api/storage/bucket/k', '/api/storage//bucket/k'],
  ...['/api///storage/bucket/k', '/api//storage', '/api//storage?x', '/api//storage/'],
  ...['/api//console/storage/bucket/k', '/api/console//storage/bucket/k', '/api//console/'],
  ...['/api//console/session', '/api//console'],
];

for (const [name, listenerFor] of Object.entries(APPS)) {
  test(`${name}: no spelling of a path gets past a login of the app`, async (t) => {
    const storage = await memoryStorage();
    await storage.as(alice).putBucket({ bucket: 'bucket' });
    await storage.as(alice).putObject({ bucket: 'bucket', key: 'k', body: 'secret' });
    const { origin, close } = await listen(listenerFor(storage));
    t.teardown(close);
    const send = (method: string, path: string, headers: Record<string, string> = {}) =>
      call(origin, method, path, { as: '', headers });
    const mounts = name.includes('nested') ? ['/api', '/api/console'] : [''];
    for (const mount of mounts) {
      const path = `${mount}/storage/bucket/k`;
      t.is((await send('GET', path, { authorization: 'yes' })).text, 'secret', path);
    }
    const copy = { 'x-svc-copy-source': '/bucket/k' };
    for (const target of [...TARGETS, ...(mounts.length > 1 ? NESTED : [])]) {
      for (const [method, headers] of [['GET', {}] as const, ['PUT', copy] as const]) {
        const { status, text } = await send(method, target, headers);
        const isRefused = [400, 401, 404].includes(status) && text !== 'secret';
        t.true(isRefused, `${method} ${target}: ${status} ${text}`);
      }
    }
    t.is((await storage.listObjects({ bucket: 'bucket' })).contents.length, 1);
  });
}

test('Koa over HTTP/2: a path without a slash gets past no login', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  await storage.as(alice).putObject({ bucket: 'bucket', key: 'k', body: 'secret' });
  const listener = APPS.Koa?.(storage) as Parameters<typeof createServer>[1];
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const stream = session.request({ ':path': path, ...headers });
    const [{ ':status': status }] = await once(stream, 'response');
    stream.resume();
    return status;
  };
  t.is(await get('/storage/bucket/k', { authorization: 'yes' }), 200);
  t.is(await get('/storage/bucket/k'), 401);
  // Other schemes may have paths without a slash.
  t.is(await get('storage/bucket/k', { ':scheme': 'foo' }), 404);
  session.close();
  server.close();
});
