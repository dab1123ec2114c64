import { once } from 'node:events';
import {
  Agent,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storageMiddleware as koaStorage } from '@bucketware/koa';
import { toWebHandler } from '@bucketware/web';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import test from 'ava';
import express from 'express';
import { Hono } from 'hono';
import Koa from 'koa';
import type { HonoContext } from './carriers.js';
import { onDisk } from './open-files.js';
import { call, open, opening } from './raw.js';
import { alice, listen, memoryStorage } from './servers.js';

const GONE_ON = { code: 'ERR_HTTP_HEADERS_SENT' };

for (const framework of ['Koa', 'Express']) {
  test(`${framework}: an object is closed if the app has begun its own response`, async (t) => {
    const { storage, closed, open } = await onDisk(t);
    await storage.putBucketAcl({ bucket: 'bucket', acl: 'public-read' });
    let begun: ServerResponse | undefined;
    const errors: unknown[] = [];
    // Like an app whose own time limit for a request has passed.
    const principal = async ({ res }: { res: ServerResponse }) => {
      begun = res;
      res.writeHead(503);
      res.write('late, ');
      return undefined;
    };
    const koa = new Koa({ proxy: false });
    koa.on('error', (error) => errors.push(error));
    koa.use(koaStorage(storage, { principal: ({ res }) => principal({ res }) }));
    const app = express();
    app.use(expressStorage(storage, { principal: (req) => principal({ res: req.res as never }) }));
    app.use((error: unknown, _req: IncomingMessage, _res: ServerResponse, _next: unknown) => {
      errors.push(error);
    });
    const { origin, close } = await listen(framework === 'Koa' ? koa.callback() : app);
    t.teardown(close);
    const agent = new Agent({ keepAlive: true });
    t.teardown(() => agent.destroy());
    const outgoing = request(`${origin}/bucket/large`, { agent }).end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    answer.resume();
    while (errors.length === 0) await new Promise((resolve) => setImmediate(resolve));
    t.like(errors[0], GONE_ON);
    begun?.end('too late');
    await once(answer, 'end');
    t.true(await closed(), `${await open()} files are open`);
  });
}

test('an upload whose request the app has answered meanwhile replaces nothing', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  let answered = () => {};
  let login = () => {};
  let over: Promise<void> = Promise.resolve();
  // The app responds while it identifies the caller. The body arrives later.
  const principal = async () => {
    answered();
    await new Promise<void>((resolve) => {
      login = resolve;
    });
    return alice;
  };
  const answer = (res: ServerResponse) => {
    answered = () => res.writeHead(503).end('late');
  };
  const koa = new Koa();
  koa.use((ctx, next) => {
    answer(ctx.res);
    over = next();
    return over;
  });
  koa.use(koaStorage(storage, { mount: '/storage', principal }));
  const app = express();
  app.use((_req, res, next) => {
    answer(res);
    next();
  });
  app.use('/storage', expressStorage(storage, { principal }));
  const hono = new Hono<{ Bindings: HttpBindings }>();
  const handle = toWebHandler<HonoContext>(storage, {
    mount: '/storage',
    principal,
    raw: (_, c) => c.env,
  });
  hono.use((c, next) => handle(c.req.raw, c, next));
  const onNode = getRequestListener(hono.fetch);
  const route: RequestListener = async (req, res) => {
    answer(res);
    const as = await principal();
    await storage
      .as(as)
      .putObject({ bucket: 'bucket', key: 'key', body: req })
      .catch(() => {});
  };
  const apps: Readonly<Record<string, RequestListener>> = {
    Koa: koa.callback(),
    Express: app,
    Hono: (req, res) => {
      answer(res);
      return onNode(req, res);
    },
    programmatic: route,
  };
  for (const [name, listener] of Object.entries(apps)) {
    for (const path of ['/storage/bucket/key', '/storage/bucket/key?append']) {
      await storage.putObject({ bucket: 'bucket', key: 'key', body: 'precious' });
      const { origin, close } = await listen(listener);
      const { socket, received, closed } = await open(origin);
      const method = path.endsWith('append') ? 'POST' : 'PUT';
      socket.write(opening(method, path, 'Transfer-Encoding: chunked'));
      while (!received().toString().includes('late')) await once(socket, 'data');
      login();
      await sleep(10);
      socket.write('3\r\nnew\r\n0\r\n\r\n');
      await over.catch(() => {});
      await sleep(20);
      const found = await storage.getObject({ bucket: 'bucket', key: 'key' });
      t.is(await found.text(), 'precious', `${name} ${path}`);
      socket.destroy();
      await closed;
      await close();
    }
  }
});

test('Koa: middleware that does not wait for the storage gets its own response sent', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const large = { bucket: 'bucket', key: 'large', body: Buffer.alloc(20_000_000, 'x') };
  await storage.putObject({ ...large, contentDisposition: 'attachment; filename="ä"' });
  const late = 50;
  // Longer than the app waits.
  const principal = async ({ res }: Koa.Context) => {
    await once(res, 'finish');
    return alice;
  };
  const errors: unknown[] = [];
  for (const [status, middleware] of [
    [
      503,
      async (ctx, next) => {
        const inTime = await Promise.race([next().then(() => true), sleep(late, false)]);
        if (inTime) return;
        ctx.status = 503;
        ctx.body = 'late';
      },
    ],
    [404, (_, next) => void next()],
  ] as [number, Koa.Middleware][]) {
    const koa = new Koa();
    koa.on('error', (error) => errors.push(error));
    koa.use(middleware);
    koa.use(koaStorage(storage, { principal }));
    const { origin, close } = await listen(koa.callback());
    t.teardown(close);
    for (const [method, key] of [
      ['GET', 'large'],
      ['GET', 'absent'],
      ['PUT', 'new'],
    ] as const) {
      const body = method === 'PUT' ? 'new' : undefined;
      const response = await call(origin, method, `/bucket/${key}`, { body });
      t.is(response.status, status, `${method} ${key}`);
    }
  }
  await sleep(4 * late);
  t.deepEqual(errors, []);
});

test('Koa: a download that has begun is not ended by middleware that no longer waits', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const body = Buffer.alloc(20_000_000, 'x');
  // The storage itself sends a response with such a header.
  const contentDisposition = 'attachment; filename="ä"';
  await storage.putObject({ bucket: 'bucket', key: 'large', body, contentDisposition });
  const koa = new Koa();
  let over = false;
  koa.use(async (ctx, next) => {
    await Promise.race([next(), sleep(50)]);
    over = true;
    ctx.status = 503;
    ctx.body = 'late';
  });
  koa.use(koaStorage(storage, { principal: () => alice }));
  const { origin, close } = await listen(koa.callback());
  t.teardown(close);
  const { socket, received, closed } = await open(origin);
  socket.write(opening('GET', '/bucket/large', 'Connection: close'));
  await once(socket, 'readable');
  while (!over) await sleep(5);
  await sleep(20);
  socket.resume();
  await closed;
  const text = received().toString('latin1');
  t.true(text.startsWith('HTTP/1.1 200'));
  t.is(text.length - text.indexOf('\r\n\r\n') - 4, body.length);
});
