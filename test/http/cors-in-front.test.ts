import type { ServerResponse } from 'node:http';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storageMiddleware as koaStorage } from '@bucketware/koa';
import test, { type ExecutionContext } from 'ava';
import express from 'express';
import Koa from 'koa';
import { call } from './raw.js';
import { alice, listen, memoryStorage, principalOf } from './servers.js';

const ORIGIN = 'https://app.example';
const RULE = {
  allowedOrigins: [ORIGIN],
  allowedMethods: ['GET', 'PUT'],
  allowedExposeHeaders: ['ETag'],
};

/** The headers that a host's own cors() adds to every response. */
function mark(res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Access-Control-Expose-Headers', 'X-Host');
  res.setHeader('Vary', 'Accept-Encoding, origin');
}

/** `preflights`: the host responds to OPTIONS itself, as cors() does by default. */
async function serve(t: ExecutionContext, framework: 'koa' | 'express', preflights: boolean) {
  const storage = await memoryStorage();
  const koa = new Koa();
  koa.use(async (ctx, next) => {
    mark(ctx.res);
    if (ctx.method === 'OPTIONS' && preflights) ctx.status = 204;
    else await next();
  });
  koa.use(koaStorage(storage, { principal: (ctx) => principalOf(ctx.req) }));
  const web = express();
  web.use((req, res, next) => {
    mark(res);
    if (req.method === 'OPTIONS' && preflights) res.status(204).end();
    else next();
  });
  web.use(expressStorage(storage, { principal: principalOf }));
  const { origin, close } = await listen(framework === 'koa' ? koa.callback() : web);
  t.teardown(close);
  for (const bucket of ['with-rules', 'without']) {
    await storage.as(alice).putBucket({ bucket });
    await storage.as(alice).putObject({ bucket, key: 'key', body: 'x' });
  }
  await storage.putBucketCors({ bucket: 'with-rules', corsConfiguration: [RULE] });
  const send = (method: string, path: string, from: string, headers = {}) =>
    call(origin, method, path, { headers: { origin: from, ...headers } });
  return send;
}

/** What the response with a private object varies by. */
const OF_OBJECTS = ['authorization', 'cookie', 'sec-fetch-dest'];

const namesIn = (vary: unknown): string[] =>
  String(vary)
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .sort();

for (const framework of ['koa', 'express'] as const) {
  test(`${framework}: if a rule matches, its headers replace those of the host, and none is repeated`, async (t) => {
    const send = await serve(t, framework, false);
    for (const [path, status] of [
      ['/with-rules/key', 200],
      ['/with-rules/absent', 404],
    ] as const) {
      const { headers, ...answer } = await send('GET', path, ORIGIN);
      t.is(answer.status, status);
      t.is(headers['access-control-allow-origin'], ORIGIN);
      t.is(headers['access-control-allow-credentials'], 'true');
      t.is(headers['access-control-expose-headers'], 'ETag');
      const names = status === 200 ? OF_OBJECTS : [];
      t.deepEqual(namesIn(headers.vary), ['accept-encoding', 'origin', ...names].sort());
    }
    const preflight = await send('OPTIONS', '/with-rules/key', ORIGIN, {
      'access-control-request-method': 'PUT',
    });
    t.is(preflight.status, 200);
    t.is(preflight.headers['access-control-allow-origin'], ORIGIN);
    t.deepEqual(namesIn(preflight.headers.vary), [
      'accept-encoding',
      'access-control-request-headers',
      'access-control-request-method',
      'origin',
    ]);
  });

  test(`${framework}: if no rule matches, the host's headers stay unchanged`, async (t) => {
    const send = await serve(t, framework, false);
    for (const [path, origin] of [
      ['/with-rules/key', 'https://other.example'],
      ['/without/key', ORIGIN],
    ] as const) {
      const { headers, status } = await send('GET', path, origin);
      t.is(status, 200);
      t.is(headers['access-control-allow-origin'], '*');
      t.is(headers['access-control-allow-credentials'], undefined);
      t.is(headers['access-control-expose-headers'], 'X-Host');
      t.deepEqual(namesIn(headers.vary), ['accept-encoding', 'origin', ...OF_OBJECTS].sort());
    }
  });

  test(`${framework}: preflights do not reach the storage if the host handles OPTIONS itself`, async (t) => {
    const send = await serve(t, framework, true);
    const requested = { 'access-control-request-method': 'DELETE' };
    for (const path of ['/with-rules/key', '/without/key']) {
      const { status, headers } = await send('OPTIONS', path, ORIGIN, requested);
      t.is(status, 204);
      t.is(headers['access-control-allow-origin'], '*');
      t.is(headers['access-control-allow-methods'], undefined);
    }
  });
}
