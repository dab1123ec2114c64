import type { AccessQuestion, HandlerOptions } from '@bucketware/core';
import { serve as carry } from '@bucketware/core/node';
import test, { type ExecutionContext } from 'ava';
import { call } from './raw.js';
import { alice, bob, listen, memoryStorage, onKoa } from './servers.js';

/*
 * A page of another origin must not learn what its visitor may read. Such a page can see whether a
 * request without CORS fails, which Cross-Origin-Resource-Policy determines, and the responses to
 * requests with CORS.
 */

const bucket = 'bucket';
const OTHER = 'https://app.example.com';
const COOKIE = { cookie: 'session=1' };

async function serve(t: ExecutionContext, options: HandlerOptions = {}) {
  const storage = await memoryStorage();
  const { origin, close } = await listen(onKoa(storage, options));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket });
  await storage.putObject({ bucket, key: 'own', body: 'own' });
  await storage.putObject({ bucket, key: 'open', body: 'open', acl: 'public-read' });
  const send = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    as: 'alice' | 'bob' | '' = 'alice',
  ) => call(origin, method, path, { headers, as });
  return { storage, send };
}

test('every response that is not public has the same resource policy, including errors and listings', async (t) => {
  const { storage, send } = await serve(t);
  const seen = new Set<number>();
  const policy = async (...request: Parameters<typeof send>) => {
    const { status, headers } = await send(...request);
    seen.add(status);
    return headers['cross-origin-resource-policy'];
  };
  const requests: Parameters<typeof send>[] = [
    ['GET', '/bucket/own'],
    ['HEAD', '/bucket/own'],
    ['GET', '/bucket/own', {}, 'bob'],
    ['HEAD', '/bucket/own', {}, ''],
    ['GET', '/bucket/none'],
    ['GET', '/none/none'],
    ['GET', '/bucket/own', { range: 'bytes=0-0' }],
    ['GET', '/bucket/own', { range: 'bytes=9-' }],
    ['GET', '/bucket/own', { 'if-none-match': '*' }],
    ['HEAD', '/bucket/own', { 'if-none-match': '*' }],
    ['GET', '/bucket/own', { 'if-match': '"x"' }],
    ['GET', '/bucket/own?tagging'],
    ['GET', '/bucket/own', { 'sec-fetch-dest': 'script' }],
    ['GET', '/bucket/%ff'],
    ['GET', '/bucket'],
    ['GET', '/bucket?maxKeys=x'],
    ['GET', '/bucket?acl', {}, 'bob'],
    ['GET', '/'],
    ['GET', '/', {}, ''],
    ['POST', '/bucket/own'],
    ['DELETE', '/bucket/none'],
  ];
  for (const request of requests) t.is(await policy(...request), 'same-origin', String(request));
  t.deepEqual([...seen].sort(), [200, 206, 304, 400, 403, 404, 405, 412, 416, 501]);
  for (const as of ['alice', ''] as const) {
    for (const headers of [{}, { 'if-none-match': '*' }, { range: 'bytes=0-0' }]) {
      t.is(
        await policy('GET', '/bucket/open', headers as Record<string, string>, as),
        'cross-origin',
      );
    }
  }
  const corsConfiguration = [{ allowedOrigins: [OTHER], allowedMethods: ['GET'] }];
  await storage.putBucketCors({ bucket, corsConfiguration });
  for (const path of ['/bucket/own', '/bucket/none', '/bucket']) {
    t.is(await policy('GET', path, { origin: OTHER }), 'cross-origin', path);
    t.is(await policy('GET', path, { origin: `${OTHER}:1` }), 'same-origin', path);
  }
});

test('a 304 has the same headers for caches and browsers as the 200', async (t) => {
  const { storage, send } = await serve(t);
  const stored = { cacheControl: 'max-age=600', expires: 'later', contentType: 'text/css' };
  await storage.putObject({ bucket, key: 'stored', body: 'x', ...stored });
  for (const [path, as] of [
    ['/bucket/own', 'alice'],
    ['/bucket/open', 'alice'],
    ['/bucket/open', ''],
    ['/bucket/stored', 'alice'],
    ['/bucket/own?responseCacheControl=no-cache', 'alice'],
    ['/bucket/open?responseExpires=never', 'alice'],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      const said = async (headers: Record<string, string>, expected: number) => {
        const { status, headers: found } = await send(method, path, headers, as);
        t.is(status, expected);
        const names = ['cache-control', 'vary', 'expires', 'cross-origin-resource-policy'];
        // Browsers replace the policy of their copy with one that the app may add to the 304.
        const protections = ['content-security-policy', 'x-content-type-options'];
        return [...names, ...protections, 'etag', 'last-modified'].map(
          (name) => `${name}: ${found[name]}`,
        );
      };
      t.deepEqual(await said({ 'if-none-match': '*' }, 304), await said({}, 200), path);
    }
  }
  const refused = '/bucket/own?responseCacheControl=public';
  t.is((await send('GET', refused, { 'if-none-match': '*' })).status, 400);
});

test('objects that only authorize lets anonymous callers read do not count as public', async (t) => {
  const inside = ({ operation, allowed }: AccessQuestion) => allowed || operation !== 'PutObject';
  const { send } = await serve(t, { authorize: inside });
  const said = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await send('GET', path, headers, '');
    return [
      answer.status,
      answer.headers['cache-control'],
      answer.headers['cross-origin-resource-policy'],
      /Authorization, Cookie/.test(String(answer.headers.vary)),
    ];
  };
  const notOpen = ['private, max-age=0, no-transform', 'same-origin', true];
  t.deepEqual(await said('/bucket/own'), [200, ...notOpen]);
  t.deepEqual(await said('/bucket/own', { 'if-none-match': '*' }), [304, ...notOpen]);
  t.deepEqual(await said('/bucket/open'), [200, 'max-age=0, no-transform', 'cross-origin', false]);
  t.deepEqual((await said('/bucket')).slice(0, 3), [200, 'private', 'same-origin']);
});

/** One bucket each of alice, bob and the host, all readable by the named users. */
async function shared(t: ExecutionContext, options: HandlerOptions = {}) {
  const setting = await serve(t, options);
  const { storage, send } = setting;
  await storage.as(bob).putBucket({ bucket: 'trap' });
  await storage.putBucket({ bucket: 'hosts-own' });
  for (const name of [bucket, 'trap', 'hosts-own']) {
    await storage.putObject({ bucket: name, key: 'for-alice', body: 'x' });
    await storage.putBucketAcl({
      bucket: name,
      accessControlList: [{ grantee: [{ id: alice.userId }], permission: ['READ'] }],
    });
    const corsConfiguration = [{ allowedOrigins: [OTHER], allowedMethods: ['GET', 'HEAD'] }];
    await storage.putBucketCors({ bucket: name, corsConfiguration });
  }
  /** Whether a page can read the response to an authenticated request. */
  const sees = async (path: string, headers: Record<string, string>, as?: 'alice' | 'bob' | '') => {
    const { headers: found } = await send('GET', path, { origin: OTHER, ...headers }, as);
    t.is(found['access-control-allow-origin'], OTHER);
    return found['access-control-allow-credentials'] === 'true';
  };
  return { ...setting, sees };
}

test('a bucket of another user does not reveal to a page who visits with a cookie', async (t) => {
  const { sees } = await shared(t);
  for (const [name, visible] of [
    ['trap', false],
    [bucket, true],
    ['hosts-own', true],
  ] as const) {
    for (const path of [`/${name}/for-alice`, `/${name}/none`, `/${name}?acl`]) {
      t.is(await sees(path, COOKIE), visible, path);
      t.true(await sees(path, {}), `${path} with a token that the page has itself`);
    }
  }
  for (const as of ['bob', ''] as const) t.false(await sees(`/${bucket}/for-alice`, COOKIE, as));
  t.false(await sees('/trap/for-alice', COOKIE, ''), 'with a login that has ended');
  t.true(await sees('/trap/for-alice', {}, ''), 'without any login');
});

test('pages that the host allows can read responses to authenticated requests in all buckets', async (t) => {
  for (const [crossSiteRequests, visible] of [
    [[OTHER], true],
    [['https://another.example'], false],
    ['allow', true],
    ['refuse', false],
  ] as const) {
    const { sees } = await shared(t, { crossSiteRequests });
    for (const path of ['/trap/for-alice', '/trap/none']) {
      t.is(await sees(path, COOKIE), visible, String(crossSiteRequests));
    }
  }
});

test('credentials that are neither a cookie nor a token count as sent by the browser itself', async (t) => {
  const storage = await memoryStorage();
  const handle = storage.handler();
  // Such as a client certificate, or a header that a proxy sets.
  const { origin, close } = await listen(async (req, res) => {
    await carry(handle, req, res, { url: req.url ?? '/', mount: '', principal: () => alice });
  });
  t.teardown(close);
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    call(origin, method, path, { as: '', headers: { origin: OTHER, ...headers }, body: '' });
  await storage.as(bob).putBucket({ bucket: 'trap', acl: 'public-read-write' });
  await storage.as(alice).putBucket({ bucket });
  const allow = (name: string, ...allowedOrigins: string[]) =>
    storage.putBucketCors({
      bucket: name,
      corsConfiguration: [{ allowedOrigins, allowedMethods: ['GET', 'PUT'] }],
    });
  await allow('trap', OTHER);
  await allow(bucket, OTHER);
  const token = { authorization: 'Bearer x' };
  t.is((await send('PUT', '/trap/a')).status, 403);
  t.is((await send('PUT', '/trap/a', token)).status, 200);
  // The signature was not verified, and any page can write such a URL.
  t.is((await send('PUT', '/trap/b?authorization=signature')).status, 403);
  t.is((await send('PUT', '/bucket/a')).status, 200);
  t.is((await send('PUT', '/bucket?acl', { 'x-svc-acl': 'public-read' })).status, 403);
  const seen = async (path: string, headers = {}) =>
    (await send('GET', path, headers)).headers['access-control-allow-credentials'];
  t.is(await seen('/trap/a'), undefined);
  t.is(await seen('/trap/a', token), 'true');
  t.is(await seen('/bucket/a'), 'true');
  await allow(bucket, '*');
  t.is((await send('PUT', '/bucket/a')).status, 403);
  t.is((await send('PUT', '/bucket/a', token)).status, 200);
});

test('what is not public cannot be framed, and gives no handle to a page that opens it', async (t) => {
  const { send } = await serve(t);
  const policies = async (...request: Parameters<typeof send>) => {
    const { headers } = await send(...request);
    return [headers['x-frame-options'], headers['cross-origin-opener-policy']];
  };
  for (const path of ['/bucket/own', '/bucket/none', '/bucket', '/none/none']) {
    for (const as of ['alice', 'bob', ''] as const) {
      t.deepEqual(await policies('GET', path, COOKIE, as), ['SAMEORIGIN', 'same-origin'], path);
    }
  }
  t.deepEqual(await policies('GET', '/bucket/open'), [undefined, undefined]);
});

test('pages may embed a public object, whoever visits them, if authorize lets anonymous callers read it', async (t) => {
  const { send } = await serve(t, { authorize: ({ allowed }: AccessQuestion) => allowed });
  for (const as of ['alice', 'bob', ''] as const) {
    const { headers } = await send('GET', '/bucket/open', {}, as);
    t.is(headers['cross-origin-resource-policy'], 'cross-origin', as);
    t.is(/private/.test(headers['cache-control'] as string), as !== '', as);
  }
});

test('a page cannot find out whether authorize lets its visitor read a public object', async (t) => {
  const rules = {
    'only alice': ({ principal }: AccessQuestion) => principal?.userId === alice.userId,
    'fails for anonymous callers': ({ principal }: AccessQuestion) => {
      if (principal === undefined) throw new Error('No principal.');
      return principal.userId === alice.userId;
    },
  };
  const policies = [
    'cross-origin-resource-policy',
    'x-frame-options',
    'cross-origin-opener-policy',
  ];
  for (const [name, authorize] of Object.entries(rules)) {
    const { send } = await serve(t, { authorize });
    const answers = [
      await send('GET', '/bucket/open', COOKIE, 'alice'),
      await send('GET', '/bucket/open', COOKIE, 'bob'),
    ];
    const statuses = answers.map(({ status }) => status);
    t.deepEqual(statuses, [200, 403], name);
    for (const { headers } of answers) {
      const found = policies.map((policy) => headers[policy]);
      t.deepEqual(found, ['same-origin', 'SAMEORIGIN', 'same-origin'], name);
    }
  }
});

test('if a bucket does not allow credentials, the permission of the host for them is removed', async (t) => {
  const storage = await memoryStorage();
  const handle = storage.handler();
  const { origin, close } = await listen(async (req, res) => {
    res.setHeader('access-control-allow-credentials', 'true');
    await carry(handle, req, res, { url: req.url ?? '/', mount: '', principal: () => alice });
  });
  t.teardown(close);
  await storage.as(bob).putBucket({ bucket: 'trap', acl: 'public-read' });
  const corsConfiguration = [{ allowedOrigins: [OTHER], allowedMethods: ['GET'] }];
  await storage.putBucketCors({ bucket: 'trap', corsConfiguration });
  for (const headers of [{}, COOKIE]) {
    const answer = await call(origin, 'GET', '/trap/none', {
      headers: { origin: OTHER, ...headers },
    });
    t.is(answer.headers['access-control-allow-origin'], OTHER);
    if ('cookie' in headers) t.is(answer.headers['access-control-allow-credentials'], undefined);
  }
});
