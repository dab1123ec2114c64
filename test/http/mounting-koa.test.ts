import { storageMiddleware, storageRouter } from '@bucketware/koa';
import Router from '@koa/router';
import test, { type ExecutionContext } from 'ava';
import Koa from 'koa';
import mount from 'koa-mount';
import supertest from 'supertest';
import { proveMounted } from './mounting.js';
import { alice, listen, memoryStorage, principalOf } from './servers.js';

const principal = (ctx: Koa.Context) => principalOf(ctx.req);

/** An app with a route before the storage and one after it. */
async function host(t: ExecutionContext, install: (app: Koa) => void): Promise<string> {
  const app = new Koa();
  app.use(async (ctx, next) => {
    if (ctx.path === '/before') ctx.body = 'before';
    else await next();
  });
  install(app);
  app.use((ctx) => {
    ctx.body = `the host's ${ctx.method} ${ctx.url}`;
  });
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  return origin;
}

async function proveHost(t: ExecutionContext, origin: string): Promise<void> {
  t.is((await supertest(origin).get('/before')).text, 'before');
  for (const path of ['/', '/after?x=1', '/stor', '/storagex/bucket', '/STORAGE/bucket']) {
    t.is((await supertest(origin).get(path)).text, `the host's GET ${path}`);
  }
  const posted = await supertest(origin).post('/after').send({ a: 1 });
  t.is(posted.text, "the host's POST /after");
}

test('koa-mount', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, (app) => {
    app.use(mount('/storage', storageMiddleware(storage, { principal })));
  });
  await proveMounted(t, origin, '/storage');
  await proveHost(t, origin);
});

test('koa-mount within koa-mount', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, (app) => {
    app.use(mount('/a', mount('/b/c', storageMiddleware(storage, { principal }))));
  });
  await proveMounted(t, origin, '/a/b/c');
  await proveHost(t, origin);
});

test('the option `mount` at the root of the app, with and without a slash at its end', async (t) => {
  for (const place of ['/storage', '/storage/', '/deep/down/storage']) {
    const storage = await memoryStorage();
    const origin = await host(t, (app) => {
      app.use(storageMiddleware(storage, { mount: place, principal }));
    });
    await proveMounted(t, origin, place.replace(/\/$/, ''));
    await proveHost(t, origin);
  }
});

test('the whole app', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, (app) => {
    app.use(storageMiddleware(storage, { principal }));
  });
  await proveMounted(t, origin, '');
});

test('storageRouter within an @koa/router', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, (app) => {
    const api = new Router({ prefix: '/api' });
    api.get('/mine', (ctx) => {
      ctx.body = 'mine';
    });
    api.use('/storage', storageRouter(storage, { principal }).routes());
    app.use(api.routes());
  });
  await proveMounted(t, origin, '/api/storage');
  t.is((await supertest(origin).get('/api/mine')).text, 'mine');
  await proveHost(t, origin);
});

test('storageRouter below a parameter of the path', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, (app) => {
    const tenants = new Router();
    tenants.use('/t/:tenant/files', storageRouter(storage, { principal }).routes());
    app.use(tenants.routes());
  });
  await proveMounted(t, origin, '/t/acme/files');
  await proveMounted(t, origin, '/t/a%2Fb/files');
  await proveHost(t, origin);
});

test('storageRouter as a separate router', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, (app) => {
    app.use(mount('/storage', storageRouter(storage, { principal }).routes()));
  });
  await proveMounted(t, origin, '/storage');
  await proveHost(t, origin);
});

test('middleware of the host that runs after the storage can add headers to its responses', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, (app) => {
    app.use(async (ctx, next) => {
      await next();
      ctx.set('x-served-by', 'host');
    });
    app.use(storageMiddleware(storage, { mount: '/storage', principal }));
  });
  const agent = supertest(origin);
  const put = await agent.put('/storage/bucket').set('authorization', 'Bearer alice');
  t.is(put.status, 200);
  t.is(put.headers['x-served-by'], 'host');
});

test('headers that the app sets after next() do not replace the protection of objects', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const page = { body: '<script>1</script>', contentType: 'text/html' };
  await storage.putObject({ bucket: 'bucket', key: 'page', ...page });
  const policy = "script-src 'self' 'unsafe-inline'";
  const app = new Koa();
  app.use(async (ctx, next) => {
    const isReplaced = ctx.get('x-replace') !== '';
    await next();
    ctx.set({ 'content-security-policy': policy, 'cache-control': 'public', 'x-app': '1' });
    ctx.set({ vary: 'X-App, cookie', 'cross-origin-opener-policy': 'unsafe-none' });
    ctx.remove('x-content-type-options');
    if (isReplaced) ctx.body = 'the page of the app';
  });
  app.use(storageMiddleware(storage, { mount: '/storage', principal }));
  app.use((ctx) => {
    ctx.body = 'app';
  });
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  const get = (path: string, method = 'GET', more = {}) =>
    fetch(`${origin}${path}`, { method, headers: { authorization: 'Bearer alice', ...more } });
  for (const [method, expected, more] of [
    ['GET', 200, {}],
    ['HEAD', 200, {}],
    ['GET', 304, { 'if-none-match': '*' }],
  ] as const) {
    const { status, headers } = await get('/storage/bucket/page', method, more);
    t.is(status, expected);
    t.regex(headers.get('content-security-policy') ?? '', /sandbox/);
    t.is(headers.get('x-content-type-options'), 'nosniff');
    t.regex(headers.get('cache-control') ?? '', /^private/);
    t.regex(headers.get('vary') ?? '', /^X-App, cookie, .*Authorization/);
    t.is(headers.get('cross-origin-opener-policy'), 'same-origin');
    t.is(headers.get('x-app'), '1');
  }
  const replaced = await get('/storage/bucket/page', 'GET', { 'x-replace': '1' });
  t.is(await replaced.text(), 'the page of the app');
  t.regex(replaced.headers.get('content-security-policy') ?? '', /sandbox/);
  const { headers } = await get('/other');
  t.is(headers.get('content-security-policy'), policy);
  t.is(headers.get('cache-control'), 'public');
});

test('responses of the app itself do not get the lifetime of an object', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket', acl: 'public-read' });
  const lasting = { cacheControl: 'public, max-age=31536000', body: 'data' };
  await storage.putObject({ bucket: 'bucket', key: 'shared', ...lasting });
  const own = { ...lasting, cacheControl: 'private, max-age=31536000' };
  await storage.putObject({ bucket: 'bucket', key: 'own', ...own });
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    await next();
    const how = ctx.get('x-app');
    if (how === 'throws') throw new Error('the log is down');
    if (how.startsWith('fails')) ctx.status = 503;
    if (how !== '' && how !== 'fails') ctx.remove('cache-control');
    if (how === 'restricts') ctx.set('cache-control', 'private, no-store');
    if (how === 'shares') ctx.set('cache-control', 'public, max-age=5');
  });
  app.use(storageMiddleware(storage, { mount: '/storage', principal }));
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  const get = async (key: string, how: string) => {
    const headers = { 'x-app': how };
    const response = await fetch(`${origin}/storage/bucket/${key}`, { headers });
    return [response.status, response.headers.get('cache-control')];
  };
  for (const [key, itsOwn, shared] of [
    ['shared', lasting.cacheControl, 'public, max-age=5'],
    ['own', own.cacheControl, own.cacheControl],
  ] as const) {
    t.deepEqual(await get(key, ''), [200, itsOwn]);
    t.deepEqual(await get(key, 'throws'), [500, null]);
    t.deepEqual(await get(key, 'fails'), [503, 'no-store']);
    t.deepEqual(await get(key, 'fails by itself'), [503, null]);
    t.deepEqual(await get(key, 'restricts'), [200, 'private, no-store']);
    t.deepEqual(await get(key, 'shares'), [200, shared]);
  }
});
