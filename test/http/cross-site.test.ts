import test, { type ExecutionContext } from 'ava';
import { carriers } from './carriers.js';
import { call } from './raw.js';
import { alice, bob, listen, memoryStorage, onKoa } from './servers.js';

const OTHER = 'https://app.example.com';
const CROSS_SITE = { 'sec-fetch-site': 'cross-site', origin: OTHER };

test('behind a proxy, the host that the client used determines the origin', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const rows = [
    [{}, { host: 'files.example' }, 'http://files.example', 200],
    [{}, { host: 'files.example:443' }, 'https://files.example', 200],
    [{}, { host: 'files.example' }, 'http://files.example:81', 403],
    [{}, { 'x-forwarded-host': 'files.example' }, 'http://files.example', 403],
    [{ trustProxy: true }, { 'x-forwarded-host': 'files.example' }, 'http://files.example', 200],
    [{ publicUrl: 'https://files.example/x' }, {}, 'https://files.example', 200],
    [{ publicUrl: 'https://files.example/x' }, {}, 'https://files.example:444', 403],
    [{ publicUrl: 'https://files.example/x' }, { host: 'a.example' }, 'http://a.example', 403],
  ] as const;
  for (const [options, headers, origin, status] of rows) {
    const server = await listen(carriers.express5(storage, options));
    t.teardown(server.close);
    const sent = { headers: { ...headers, origin, authorization: 'Bearer alice' }, body: 'x' };
    const answer = await call(server.origin, 'PUT', '/bucket/key', sent);
    t.is(answer.status, status, JSON.stringify([options, headers, origin]));
  }
});

test('crossSiteRequests allows pages of listed sites or of all sites', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  for (const [crossSiteRequests, origin, status] of [
    ['refuse', OTHER, 403],
    [[OTHER], OTHER, 200],
    [[OTHER], `${OTHER}:1`, 403],
    [[OTHER], 'null', 403],
    ['allow', 'null', 200],
  ] as const) {
    const server = await listen(onKoa(storage, { crossSiteRequests }));
    t.teardown(server.close);
    const headers = { ...CROSS_SITE, origin, authorization: 'Bearer alice' };
    const answer = await call(server.origin, 'PUT', '/bucket/key', { headers, body: 'x' });
    t.is(answer.status, status, `${crossSiteRequests} ${origin}`);
  }
  for (const wrong of ['yes', ['app.example.com'], ['https://app.example.com/'], '*']) {
    const options = { crossSiteRequests: wrong as never };
    t.throws(() => storage.handler(options), { message: /crossSiteRequests must be/ });
  }
});

test('a change from another site is rejected before the caller is identified', async (t) => {
  const storage = await memoryStorage();
  const handle = storage.handler();
  const answer = await handle({
    method: 'POST',
    url: '/bucket?delete',
    mount: '',
    encrypted: false,
    rawHeaders: ['Host', 'a', 'Origin', 'http://b', 'Content-Length', '5'],
    body: {
      parsed: undefined,
      chunks: () => t.fail('The body was read.') as never,
      whole: () => t.fail('The body was read.') as never,
    },
    principal: () => t.fail('The login was called.') as never,
  });
  t.is(answer?.status, 403);
});

const COOKIE = { cookie: 'session=1' };

/** A bucket of Bob that everybody may write to, with a CORS rule for his page. */
async function trapped(t: ExecutionContext, allowedOrigins: readonly string[] = [OTHER]) {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'diary' });
  await storage.as(alice).putObject({ bucket: 'diary', key: 'secret', body: 'secret' });
  await storage.as(bob).putBucket({ bucket: 'trap', acl: 'public-read-write' });
  await storage.putBucket({ bucket: 'hosts-own', acl: 'public-read-write' });
  const allow = (bucket: string, method: string) =>
    storage.putBucketCors({
      bucket,
      corsConfiguration: [{ allowedOrigins, allowedMethods: [method] }],
    });
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  const send = async (method: string, path: string, headers: object) =>
    (await call(origin, method, path, { headers: { ...CROSS_SITE, ...headers }, body: '' })).status;
  return { storage, allow, send };
}

test('a page that one bucket allows can copy only from buckets that also allow it', async (t) => {
  const { storage, allow, send } = await trapped(t);
  await allow('trap', 'PUT');
  await storage.as(alice).putBucket({ bucket: 'album' });
  await allow('album', 'PUT');
  const { uploadId } = await storage.initiateMultipartUpload({ bucket: 'album', key: 'u' });
  const copy = { 'x-svc-copy-source': '/diary/secret' };
  const part = `/album/u?partNumber=1&uploadId=${uploadId}`;
  for (const headers of [copy, { ...copy, ...COOKIE }]) {
    for (const path of ['/trap/stolen', '/album/copied', part]) {
      t.is(await send('PUT', path, headers), 403, path);
    }
  }
  await allow('diary', 'GET');
  t.is(await send('PUT', '/album/copied', { ...copy, ...COOKIE }), 200);
  t.is(await send('PUT', part, { ...copy, ...COOKIE }), 200);
  t.is(await send('PUT', '/album/again', { 'x-svc-copy-source': '/album/copied', ...COOKIE }), 200);
  const corsConfiguration = [{ allowedOrigins: ['*'], allowedMethods: ['GET'] }];
  await storage.putBucketCors({ bucket: 'diary', corsConfiguration });
  t.is(await send('PUT', '/album/copied', { ...copy, ...COOKIE }), 403);
  t.is(await send('PUT', '/album/copied', copy), 200);
});

test('with a cookie, a CORS rule allows a page to change only buckets of the caller or the host', async (t) => {
  const { allow, send } = await trapped(t);
  for (const bucket of ['trap', 'diary', 'hosts-own']) await allow(bucket, 'POST');
  for (const [bucket, withCookie] of [
    ['trap', 403],
    ['diary', 200],
    ['hosts-own', 200],
  ] as const) {
    t.is(await send('POST', `/${bucket}/x?uploads`, COOKIE), withCookie, bucket);
    t.is(
      await send('POST', `/${bucket}/x?uploads`, { ...COOKIE, authorization: '' }),
      bucket === 'diary' ? 403 : 200,
    );
  }
  t.is(await send('POST', '/trap/x?uploads', {}), 200, 'with a token that the page has itself');
});

test('a rule whose host is only a wildcard does not allow requests with a cookie', async (t) => {
  const rows = [
    ['*', OTHER, 403],
    ['https://*', OTHER, 403],
    ['https://app*', OTHER, 403],
    ['https://*:8443', `${OTHER}:8443`, 403],
    ['https://app*:8443', `${OTHER}:8443`, 403],
    ['*:3000', 'http://localhost:3000', 403],
    ['https://*.', `${OTHER}.`, 403],
    ['https://*example.com', OTHER, 403],
    ['null', 'null', 403],
    ['https://*.example.com', OTHER, 200],
    ['https://*example.co.uk', 'https://evil-example.co.uk', 403],
    ['https://*-app.example.com', 'https://evil-app.example.com', 403],
    ['https://app.*.com', OTHER, 403],
    ['https://*.com', OTHER, 403],
    ['*://app.example.com', OTHER, 200],
    ['https://app*.example.com', 'https://app-2.example.com', 200],
    ['https://*.example.com:8443', `${OTHER}:8443`, 200],
    ['http://*.localhost:3000', 'http://app.localhost:3000', 200],
    [`${OTHER}:*`, `${OTHER}:8443`, 200],
  ] as const;
  for (const [pattern, origin, status] of rows) {
    const { allow, send } = await trapped(t, [pattern]);
    await allow('diary', 'POST');
    t.is(await send('POST', '/diary/x?uploads', { origin, ...COOKIE }), status, pattern);
    t.is(await send('POST', '/diary/x?uploads', { origin }), 200, pattern);
  }
});

test('with a cookie, a CORS rule allows a page to change objects with its methods, but no settings', async (t) => {
  const { storage, allow, send } = await trapped(t);
  await storage.as(alice).putObject({ bucket: 'diary', key: 'old', body: 'old' });
  const acl = { 'x-svc-acl': 'public-read', ...COOKIE };
  await allow('diary', 'PUT');
  t.is(await send('PUT', '/diary/new', COOKIE), 200);
  for (const path of ['/diary?acl', '/diary/old?acl', '/diary/new']) {
    t.is(await send('PUT', path, acl), 403, path);
  }
  for (const path of ['/diary?cors', '/diary?lifecycle'])
    t.is(await send('PUT', path, COOKIE), 403);
  await allow('diary', 'POST');
  const rename = { 'x-svc-rename-key': 'old', ...COOKIE };
  t.is(await send('POST', '/diary?delete', COOKIE), 403);
  t.is(await send('POST', '/diary/moved', rename), 403);
  const allowedMethods = ['POST', 'DELETE'];
  const corsConfiguration = [{ allowedOrigins: [OTHER], allowedMethods }];
  await storage.putBucketCors({ bucket: 'diary', corsConfiguration });
  t.is(await send('POST', '/diary/moved', rename), 200);
  t.is(await send('DELETE', '/diary', COOKIE), 403);
});
