import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { storageConsole as expressConsole } from '@bucketware/console/express';
import { storageConsole as koaConsole } from '@bucketware/console/koa';
import { storageMiddleware } from '@bucketware/express';
import Router from '@koa/router';
import test from 'ava';
import express from 'express';
import express4 from 'express4';
import Koa from 'koa';
import mount from 'koa-mount';
import { call } from './raw.js';
import { alice, listen, memoryStorage, principalOf } from './servers.js';

const { bundle } = await import(new URL('../../../scripts/bundle.mjs', import.meta.url).href);
const built: Promise<void> = bundle();
const authorization = 'Bearer alice';

type KoaConsole = (options: { mount?: string }) => Koa.Middleware;

const inKoa = (install: (app: Koa, consoleWith: KoaConsole) => void) => async () => {
  const storage = await memoryStorage();
  const app = new Koa();
  const principal = (ctx: Koa.Context) => principalOf(ctx.req);
  install(app, (options) => koaConsole(storage, { ...options, principal, title: 'Acme' }));
  app.use((ctx) => {
    ctx.status = 404;
    ctx.body = 'not ours';
  });
  return { storage, listener: app.callback() };
};

const apps = {
  express: async () => {
    const storage = await memoryStorage();
    const app = express();
    app.use('/console', expressConsole(storage, { principal: principalOf, title: 'Acme' }));
    app.use((_req, res) => void res.status(404).send('not ours'));
    return { storage, listener: app };
  },
  express4: async () => {
    const storage = await memoryStorage();
    const app = express4();
    app.use(express4.json()); // A body parser before the console does no harm.
    app.use('/console', expressConsole(storage, { principal: principalOf, title: 'Acme' }));
    app.use((_req, res) => void res.status(404).send('not ours'));
    return { storage, listener: app };
  },
  koa: inKoa((app, consoleWith) => app.use(consoleWith({ mount: '/console' }))),
  'koa-mount': inKoa((app, consoleWith) => app.use(mount('/console', consoleWith({})))),
  'koa-mount, with a path below it': inKoa((app, consoleWith) => {
    app.use(mount('/admin', mount('/files', consoleWith({ mount: '/console' }))));
  }),
  'a router in a router of Koa': inKoa((app, consoleWith) => {
    const files = new Router();
    files.all('/console{/*path}', consoleWith({ mount: '/admin/files/console' }));
    const admin = new Router({ prefix: '/admin' });
    admin.use('/files', files.routes());
    app.use(admin.routes());
  }),
};

const PLACES: Readonly<Record<string, string>> = {
  'koa-mount, with a path below it': '/admin/files/console',
  'a router in a router of Koa': '/admin/files/console',
};

for (const [name, open] of Object.entries(apps)) {
  const place = PLACES[name] ?? '/console';
  test(`the console in ${name} serves only its page and the storage below it`, async (t) => {
    await built;
    const { storage, listener } = await open();
    const { origin, close } = await listen(listener);
    t.teardown(async () => {
      await close();
      await storage.close();
    });
    const get = (path: string, headers = {}) =>
      fetch(`${origin}${path}`, { headers, redirect: 'manual' });
    const bare = await get(place);
    t.deepEqual([bare.status, bare.headers.get('location')], [308, `${place}/`]);
    const page = await get(`${place}/`);
    t.is(page.status, 200);
    const policy = page.headers.get('content-security-policy') ?? '';
    t.regex(policy, /^default-src 'none'; script-src 'self';/);
    t.notRegex(policy, /unsafe|https?:|\*/);
    t.is(page.headers.get('x-frame-options'), 'DENY');
    const html = await page.text();
    for (const [, asset] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      t.is((await get(`${place}/${asset}`)).status, 200, asset);
    }
    const etag = page.headers.get('etag') as string;
    t.is((await get(`${place}/`, { 'if-none-match': etag })).status, 304);
    const session = await get(`${place}/session`, { authorization });
    t.deepEqual(await session.json(), {
      ...{ title: 'Acme', share: false, health: false },
      user: { userId: 'u-alice', userName: 'Alice' },
    });
    t.deepEqual(Object.keys((await (await get(`${place}/session`)).json()) as object), [
      ...['title', 'share', 'health'],
    ]);
    const put = { method: 'PUT', headers: { authorization } };
    t.is((await fetch(`${origin}${place}/storage/bucket`, put)).status, 200);
    t.is(
      (await fetch(`${origin}${place}/storage/bucket/a%20b`, { ...put, body: 'x' })).status,
      200,
    );
    t.is(await (await get(`${place}/storage/bucket/a%20b`, { authorization })).text(), 'x');
    t.is((await get(`${place}/storage/bucket/a%20b`)).status, 403);
    t.is((await storage.as(alice).listBuckets({})).buckets.length, 1);
    for (const path of [
      `${place}/none`,
      `${place}x`,
      `${place}/..%2fpackage.json`,
      `${place}/console.js.map`,
    ]) {
      const other = await get(path);
      t.deepEqual([other.status, await other.text()], [404, 'not ours'], path);
    }
  });
}

for (const [name, open] of Object.entries(apps)) {
  const place = PLACES[name] ?? '/console';
  test(`the console in ${name} has no other spellings of its path`, async (t) => {
    const { listener } = await open();
    const { origin, close } = await listen(listener);
    t.teardown(close);
    t.is((await call(origin, 'GET', `${place}/session`)).status, 200);
    const cut = place.lastIndexOf('/');
    const odd = `${place.slice(0, cut)}\\${place.slice(cut + 1)}`;
    for (const target of [
      `${place}/session#`,
      `${place}/session?#`,
      `${place}\\session?#`,
      `${odd}/session?#`,
      `http://x${place}/session`,
      `http://x${odd}/session`,
    ]) {
      const { status, text } = await call(origin, 'GET', target);
      t.true([400, 404].includes(status) && !/u-alice/.test(text), `${target}: ${status} ${text}`);
    }
  });
}

test('an invalid option of the console is rejected when it is created', async (t) => {
  const storage = await memoryStorage();
  const principal = () => undefined;
  t.throws(() => koaConsole(storage, { mount: 'console', principal }), {
    message: /mount must be/,
  });
  const app = new Koa().use(koaConsole(storage, { principal }));
  const failed = new Promise((resolve) => app.once('error', resolve));
  const { origin, close } = await listen(app.callback());
  t.is((await fetch(origin)).status, 500);
  t.regex(String(await failed), /Give it the option mount/);
  await close();
  const options = { principal, authorise: () => true } as { principal: () => undefined };
  t.throws(() => expressConsole(storage, options), { message: /authorise/ });
  await storage.close();
});

test('behind a trusted proxy, the page of the console uses the forwarded host', async (t) => {
  const storage = await memoryStorage();
  const share = () => 'http://files.example/link';
  const app = express();
  const options = { principal: principalOf, share, trustProxy: true };
  app.use('/console', expressConsole(storage, options));
  const { origin: inside, close } = await listen(app);
  t.teardown(close);
  const ask = async (origin: string) => {
    const headers = { authorization, origin, 'x-forwarded-host': 'files.example:443' };
    const type = { 'content-type': 'application/json' };
    const body = JSON.stringify({ bucket: 'photos', key: 'a', expiresIn: 60 });
    const init = { method: 'POST', headers: { ...headers, ...type }, body };
    return (await fetch(`${inside}/console/links`, init)).status;
  };
  t.is(await ask('https://files.example'), 200);
  t.is(await ask('https://evil.example'), 403);
  t.is(await ask(inside), 403);
});

test('the redirect to the page never leads to another site', async (t) => {
  const storage = await memoryStorage();
  const app = express();
  app.use('/:tenant', expressConsole(storage, { principal: principalOf }));
  const { origin, close } = await listen(app);
  t.teardown(close);
  for (const path of ['/\\evil.example', '/\\\\evil.example']) {
    t.is((await call(origin, 'GET', path)).status, 400);
  }
  const { status, headers } = await call(origin, 'GET', '//evil.example');
  t.true(status === 404 || new URL(String(headers.location), origin).origin === origin);
});

test('a request for a link that is too large gets a response', async (t) => {
  const storage = await memoryStorage();
  const app = express();
  const share = () => 'http://files.example/link';
  app.use('/console', expressConsole(storage, { principal: principalOf, share }));
  const { origin, close } = await listen(app);
  t.teardown(close);
  const headers = { authorization, 'content-type': 'application/json' };
  const body = JSON.stringify({ bucket: 'photos', key: 'k'.repeat(100_000), expiresIn: 60 });
  t.is((await fetch(`${origin}/console/links`, { method: 'POST', headers, body })).status, 400);
});

test('a request for a link to an impossible place is refused', async (t) => {
  const storage = await memoryStorage();
  const app = express();
  const credentials = { AKALICE: { secret: 'secret', principal: alice } };
  const publicUrl = 'https://files.example';
  const files = storageMiddleware(storage, { principal: principalOf, publicUrl, credentials });
  const share = ({ bucket, key }: { bucket: string; key: string }) =>
    files.presign({ action: 'getObject', bucket, key, accessKey: 'AKALICE' });
  app.use('/console', expressConsole(storage, { principal: principalOf, share }));
  const { origin, close } = await listen(app);
  t.teardown(close);
  const headers = { authorization, 'content-type': 'application/json' };
  for (const [bucket, key, code] of [
    ['photos', '', 'InvalidArgument'],
    ['', 'a', 'InvalidArgument'],
    ['My_Photos', 'a', 'InvalidBucketName'],
    ['photos', 'a\0', 'InvalidObjectName'],
  ]) {
    const body = JSON.stringify({ bucket, key, expiresIn: 60 });
    const answer = await fetch(`${origin}/console/links`, { method: 'POST', headers, body });
    t.is(answer.status, 400);
    t.like(await answer.json(), { code });
  }
});

for (const [what, status, listenTo] of [
  ['counts bodies', 200, (req) => void req.on('data', () => {})],
  ['decodes bodies', 500, (req) => void req.setEncoding('utf8')],
  [
    'reads bodies',
    500,
    (req) =>
      once(
        req.resume().on('data', () => {}),
        'end',
      ),
  ],
] as readonly [string, number, (req: IncomingMessage) => unknown][]) {
  test(`the console makes a link, or says why not, behind an app that ${what}`, async (t) => {
    const storage = await memoryStorage();
    const app = express();
    app.use((req, _res, next) => {
      const reading = listenTo(req);
      if (reading instanceof Promise) reading.then(() => next());
      else next();
    });
    const share = () => 'http://files.example/link';
    const principal = async (req: IncomingMessage) => sleep(20, principalOf(req));
    app.use('/console', expressConsole(storage, { principal, share }));
    const { origin, close } = await listen(app);
    t.teardown(close);
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ bucket: 'photos', key: 'a', expiresIn: 60 });
    const answer = await fetch(`${origin}/console/links`, { method: 'POST', headers, body });
    t.is(answer.status, status);
    if (status === 500) t.regex(await answer.text(), /before body parsers/);
  });
}

test('in Koa, the app responds if the console fails or takes too long', async (t) => {
  await built;
  const storage = await memoryStorage();
  const app = new Koa();
  app.use(async (ctx, next) => {
    try {
      const inTime = await Promise.race([next().then(() => true), sleep(500, false)]);
      if (inTime) return;
      ctx.status = 503;
      ctx.body = 'late';
    } catch {
      ctx.status = 502;
      ctx.body = 'failed';
    }
  });
  const principal = async (ctx: Koa.Context) => {
    if (ctx.query.fails !== undefined) throw new Error('The sessions are down.');
    if (ctx.query.waits !== undefined) await sleep(1000);
    return alice;
  };
  app.use(koaConsole(storage, { mount: '/console', principal }));
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  for (const path of ['/console/session', '/console/storage/']) {
    const waiting = await call(origin, 'GET', `${path}?waits`);
    t.deepEqual([waiting.status, waiting.text], [503, 'late'], path);
    t.is((await call(origin, 'GET', path)).status, 200, path);
  }
  const failed = await call(origin, 'GET', '/console/session?fails');
  t.deepEqual([failed.status, failed.text], [502, 'failed']);
  t.is((await call(origin, 'GET', '/console/')).status, 200);
});

for (const framework of ['Koa', 'Express'] as const) {
  test(`${framework}: the console does no harm if the app has responded before it`, async (t) => {
    await built;
    const storage = await memoryStorage();
    const failures: unknown[] = [];
    let end = () => {};
    const principal = async () => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return alice;
    };
    const koa = new Koa();
    koa.on('error', (error) => failures.push(error));
    koa.use((_, next) => void next().catch((error: unknown) => failures.push(error)));
    koa.use(koaConsole(storage, { mount: '/console', principal }));
    const app = express();
    app.use('/console', expressConsole(storage, { principal }));
    const late = express();
    late.use((_req, res, next) => {
      next();
      res.status(404).end();
    });
    late.use(app);
    late.use(((error, _req, _res, _next) => failures.push(error)) as express.ErrorRequestHandler);
    const { origin, close } = await listen(framework === 'Koa' ? koa.callback() : late);
    t.teardown(close);
    for (const path of ['session', 'storage/', 'storage/bucket', 'health']) {
      t.is((await call(origin, 'GET', `/console/${path}`)).status, 404, path);
      end();
      await sleep(20);
    }
    t.deepEqual(failures, []);
  });
}

test('Koa: a page of the app for 404 does not replace the responses that the page of the console needs', async (t) => {
  await built;
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const app = new Koa();
  app.use(async (ctx, next) => {
    await next();
    if (ctx.status !== 404) return;
    ctx.status = 404;
    ctx.body = 'This page was not found.';
  });
  app.use(koaConsole(storage, { mount: '/console', principal: () => alice }));
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  const { text } = await call(origin, 'GET', '/console/storage/bucket?cors');
  t.is(JSON.parse(text).code, 'NoSuchCORSConfiguration');
  t.is((await call(origin, 'GET', '/console/absent')).text, 'This page was not found.');
});
