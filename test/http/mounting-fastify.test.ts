import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { type FastifyStorageOptions, storagePlugin } from '@bucketware/fastify';
import test, { type ExecutionContext } from 'ava';
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { proveMounted } from './mounting.js';
import { call } from './raw.js';
import { alice, listen, memoryStorage, principalOf } from './servers.js';

const principal = ({ raw }: { raw: IncomingMessage }) => principalOf(raw);

/** An app with its own route. */
async function host(
  t: ExecutionContext,
  install: (app: FastifyInstance) => void,
  options: FastifyServerOptions = {},
): Promise<string> {
  const app = Fastify(options);
  app.post('/mine', async ({ body }) => body);
  app.setNotFoundHandler(({ raw }) => `the host's ${raw.method} ${raw.url}`);
  install(app);
  await app.ready();
  const { origin, close } = await listen((req, res) => app.routing(req, res));
  t.teardown(close);
  return origin;
}

async function proveHost(t: ExecutionContext, origin: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  t.is((await call(origin, 'POST', '/mine', { headers, body: '{"a":1}' })).text, '{"a":1}');
  for (const path of ['/', '/after?x=1', '/stor', '/storagex/bucket', '/STORAGE/bucket']) {
    t.is((await call(origin, 'GET', path)).text, `the host's GET ${path}`);
  }
}

async function plugin(options: Partial<FastifyStorageOptions> = {}) {
  return storagePlugin(await memoryStorage(), { principal, ...options });
}

test('Fastify: below a prefix, nested prefixes and a parameter', async (t) => {
  const [one, two, three] = [await plugin(), await plugin(), await plugin()];
  const origin = await host(t, (app) => {
    app.register(one, { prefix: '/storage' });
    app.register(async (api) => void api.register(two, { prefix: '/b/c' }), { prefix: '/a' });
    app.register(three, { prefix: '/t/:tenant/files' });
  });
  await proveMounted(t, origin, '/storage');
  await proveMounted(t, origin, '/a/b/c');
  await proveMounted(t, origin, '/t/acme/files');
  await proveHost(t, origin);
});

test('Fastify: a slash at the end of the prefix belongs to it, not to the name of the bucket', async (t) => {
  const [slash, root] = [await plugin(), await plugin()];
  const below = await host(t, (app) => void app.register(slash, { prefix: '/storage/' }));
  const app = Fastify();
  app.register(root, { prefix: '/' });
  await app.ready();
  const { origin, close } = await listen((req, res) => app.routing(req, res));
  t.teardown(close);
  for (const base of [`${below}/storage`, origin]) {
    const { pathname } = new URL(`${base}/`);
    for (const name of ['photos', 'archive']) await call(base, 'PUT', pathname + name);
    await call(base, 'PUT', `${pathname}photos/archive`, { body: 'the object' });
    t.is((await call(base, 'GET', `${pathname}photos/archive?x=/`)).text, 'the object');
    t.is((await call(base, 'DELETE', `${pathname}photos/archive`)).status, 204);
    t.is(JSON.parse((await call(base, 'GET', pathname)).text).buckets.length, 2, base);
  }
});

test('Fastify: a path that only its router treats as the prefix is not handled by the storage', async (t) => {
  const storage = await plugin();
  const routerOptions = { ignoreDuplicateSlashes: true, useSemicolonDelimiter: true };
  const origin = await host(t, (app) => void app.register(storage, { prefix: '/a/b' }), {
    routerOptions,
  });
  t.is((await call(origin, 'PUT', '/a/b/bucket')).status, 200);
  for (const path of [
    '//a/b/bucket',
    '/a//b/bucket',
    '/a/b;/bucket',
    '/a/b;%zz/bucket',
    '//a//b//bucket/key',
    '/%61/b/bucket/key',
  ]) {
    t.is((await call(origin, 'DELETE', path)).text, `the host's DELETE ${path}`);
  }
  t.is((await call(origin, 'PUT', '/a/b/bucket/x;//y', { body: 'ours' })).status, 200);
  t.is((await call(origin, 'GET', '/a/b/bucket/x%3B//y')).text, 'ours');
});

test('Fastify: the option `mount` at the root of the app', async (t) => {
  const atRoot = await plugin({ mount: '/storage' });
  const origin = await host(t, (app) => void app.register(atRoot));
  await proveMounted(t, origin, '/storage');
  await proveHost(t, origin);
});

test('Fastify: objects may have any Content-Type and size, and the timeouts of the app do not apply', async (t) => {
  const storage = await plugin();
  const options = { bodyLimit: 10, handlerTimeout: 60_000 };
  const origin = await host(t, (app) => void app.register(storage, { prefix: '/s' }), options);
  await call(origin, 'PUT', '/s/bucket');
  for (const type of ['application/json', 'text/plain', 'nonsense', 'a/b;;x', '']) {
    const headers = type === '' ? {} : { 'content-type': type };
    const put = await call(origin, 'PUT', '/s/bucket/key', { headers, body: '{"not json' });
    t.is(put.status, 200, `${type}: ${put.text}`);
    const got = await call(origin, 'GET', '/s/bucket/key');
    t.is(got.text, '{"not json');
    t.is(got.headers['content-type'], type || 'application/octet-stream');
  }
});

test('Fastify: headers and authentication from hooks reach the storage; a hook may respond first', async (t) => {
  const seen: unknown[] = [];
  const storage = await plugin({
    principal: (request) => {
      seen.push((request as { user?: string }).user);
      return principal(request);
    },
  });
  const finished: number[] = [];
  const origin = await host(t, (app) => {
    app.addHook('onRequest', async (_, reply) => {
      reply.header('x-served-by', 'host');
      reply.header('vary', 'x-tenant');
      reply.header('access-control-allow-credentials', 'true');
    });
    app.addHook('preValidation', async (request, reply) => {
      if (request.headers['x-locked'] !== undefined) return reply.code(423).send('locked');
      Object.assign(request, { user: 'ann' });
    });
    app.addHook('onResponse', async (_, reply) => void finished.push(reply.statusCode));
    app.register(storage, { prefix: '/s' });
  });
  const put = await call(origin, 'PUT', '/s/bucket');
  t.is(put.status, 200);
  t.is(put.headers['x-served-by'], 'host');
  t.is((await call(origin, 'GET', '/s', { headers: { 'x-locked': '1' } })).text, 'locked');
  t.deepEqual([seen, finished], [['ann'], [200, 423]]);

  const rule = { allowedOrigins: ['*'], allowedMethods: ['GET'] };
  const body = JSON.stringify({ corsConfiguration: [rule] });
  t.is((await call(origin, 'PUT', '/s/bucket?cors', { body })).status, 200);
  const headers = { origin: 'https://a.test' };
  const shared = (await call(origin, 'GET', '/s/bucket', { headers })).headers;
  t.is(shared['access-control-allow-origin'], '*');
  t.is(shared['access-control-allow-credentials'], undefined);
  t.regex(String(shared.vary), /x-tenant/i);
});

test('Fastify: links from the plugin work, and options are checked', async (t) => {
  const credentials = { AK: { secret: 'SK', principal: principalOf(asAlice) as never } };
  const storage = await plugin({ credentials });
  const origin = await host(t, (app) => void app.register(storage, { prefix: '/s' }));
  await call(origin, 'PUT', '/s/bucket');
  await call(origin, 'PUT', '/s/bucket/key', { body: 'linked' });
  const publicUrl = `${origin}/s`;
  const target = { bucket: 'bucket', key: 'key' };
  const link = await storage.presign({
    action: 'getObject',
    accessKey: 'AK',
    publicUrl,
    ...target,
  });
  t.is(await (await fetch(link)).text(), 'linked');
  await t.throwsAsync(plugin({ mout: '/x' } as never), { message: /Did you mean mount\?/ });
});

const asAlice = { headers: { authorization: 'Bearer alice' } } as IncomingMessage;

test('Fastify: a hook may listen to the request', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  let counted = 0;
  const origin = await host(t, (app) => {
    app.addHook('onRequest', ({ raw }, _, done) => {
      raw.on('data', (chunk: Buffer) => {
        counted += chunk.length;
      });
      done();
    });
    app.register(storagePlugin(storage, { principal }), { prefix: '/storage' });
  });
  for (const size of [10, 5000, 200_000, 3_000_000]) {
    const body = Buffer.alloc(size, 'x');
    t.is((await call(origin, 'PUT', '/storage/bucket/k', { body })).status, 200, String(size));
    t.is((await call(origin, 'GET', '/storage/bucket/k')).body.length, size);
  }
  t.is(counted, 3_205_010);
});

test('Fastify: a body that a hook of the app replaces is refused', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const mounted = storagePlugin(storage, { principal });
  const origin = await host(t, (app) => {
    app.addHook('preParsing', (request, _reply, payload, done) => {
      const isReplaced = request.headers['x-replace'] !== undefined;
      done(null, isReplaced ? payload.pipe(new PassThrough()) : payload);
    });
    app.register(mounted, { prefix: '/storage' });
  });
  const put = async (headers: Record<string, string>) => {
    const all = { authorization: 'Bearer alice', ...headers };
    const path = '/storage/bucket/key';
    return (await call(origin, 'PUT', path, { headers: all, body: 'data' })).status;
  };
  t.is(await put({}), 200);
  t.is(await put({ 'content-encoding': 'gzip' }), 200);
  t.is(await put({ 'x-replace': 'yes' }), 500);
  const { contents } = await storage.listObjects({ bucket: 'bucket' });
  t.is(contents.length, 1);
});
