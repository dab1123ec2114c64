import type { HandlerOptions } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { call } from './raw.js';
import { listen, memoryStorage, onKoa } from './servers.js';

const BASE_HOST = 'objects.example';

async function serve(t: ExecutionContext, options: HandlerOptions): Promise<string> {
  const storage = await memoryStorage();
  const { origin, close } = await listen(onKoa(storage, options));
  t.teardown(close);
  for (const bucket of ['first', 'second']) {
    await storage.putBucket({ bucket, acl: 'public-read' });
    await storage.putObject({ bucket, key: 'key', body: `from ${bucket}` });
  }
  return origin;
}

const everyone = { authorize: () => true };

test('forged X-Forwarded-* headers have no effect if no proxy is trusted', async (t) => {
  const options = { ...everyone, mount: '/storage', baseHost: BASE_HOST };
  const origin = await serve(t, options);
  const headers = {
    host: `first.${BASE_HOST}`,
    'x-forwarded-host': `second.${BASE_HOST}`,
    'x-forwarded-proto': 'javascript',
    'x-forwarded-prefix': '/evil',
    forwarded: `host=second.${BASE_HOST}`,
  };
  t.is((await call(origin, 'GET', '/key', { headers })).text, 'from first');
  const path = await call(origin, 'GET', '/storage/first/key', {
    headers: { ...headers, host: 'anything' },
  });
  t.is(path.text, 'from first');
});

test('behind a trusted proxy, the forwarded host contains the bucket', async (t) => {
  const options = { ...everyone, mount: '/storage', baseHost: BASE_HOST, trustProxy: true };
  const origin = await serve(t, options);
  const headers = { host: 'internal:8080', 'x-forwarded-host': `second.${BASE_HOST}, other` };
  t.is((await call(origin, 'GET', '/key', { headers })).text, 'from second');
  const direct = { host: `first.${BASE_HOST}` };
  t.is((await call(origin, 'GET', '/key', { headers: direct })).text, 'from first');
});

test('a repeated forwarded header is rejected', async (t) => {
  const options = { ...everyone, mount: '/storage', baseHost: BASE_HOST, trustProxy: true };
  const origin = await serve(t, options);
  const headers = { 'x-forwarded-host': [`first.${BASE_HOST}`, `second.${BASE_HOST}`] };
  t.is((await call(origin, 'GET', '/key', { headers })).status, 400);
});

test('only hosts below the base host contain a bucket', async (t) => {
  const origin = await serve(t, { ...everyone, mount: '/storage', baseHost: BASE_HOST });
  for (const host of [
    BASE_HOST,
    `first${BASE_HOST}`,
    `first.${BASE_HOST}.evil.example`,
    'first.objects.example.evil',
    'first',
    `first.${BASE_HOST}@evil.example`,
  ]) {
    const answer = await call(origin, 'GET', '/key', { headers: { host } });
    t.not(answer.text, 'from first', host);
  }
});

test('hosts: a host that maps to a bucket, in any case and with any port', async (t) => {
  const options = { ...everyone, mount: '/storage', hosts: { 'CDN.example.com': 'first' } };
  const origin = await serve(t, options);
  for (const host of ['cdn.example.com', 'Cdn.Example.com:8080', 'cdn.example.com.']) {
    const answer = await call(origin, 'GET', '/key', { headers: { host } });
    t.is(answer.text, 'from first', host);
  }
  for (const host of ['x.cdn.example.com', 'cdn.example.com.evil', 'constructor']) {
    t.not((await call(origin, 'GET', '/key', { headers: { host } })).text, 'from first', host);
  }
});

test('headerPrefix: the headers of the interface have another prefix, and no longer x-svc-', async (t) => {
  const origin = await serve(t, { ...everyone, headerPrefix: 'x-bce-' });
  const put = await call(origin, 'PUT', '/first/named', {
    headers: {
      'x-bce-meta-a': 'mine',
      'x-svc-date': 'not mine',
      'X-BCE-Storage-Class': 'COLD',
    },
    body: 'hello',
  });
  t.is(put.status, 200, put.text);
  t.is(put.headers['x-bce-content-crc32'], '907060870');
  const got = await call(origin, 'GET', '/first/named');
  t.is(got.text, 'hello');
  t.is(got.headers['x-bce-meta-a'], 'mine');
  t.is(got.headers['x-bce-storage-class'], 'COLD');
  t.deepEqual(
    Object.keys(got.headers).filter((name) => name.startsWith('x-svc-')),
    [],
  );

  const strange = {
    'x-svc-meta-b': '1',
    'x-svc-acl': 'private',
    'x-svc-copy-source': '/first/key',
  };
  for (const [name, value] of Object.entries(strange)) {
    const headers = { [name]: value };
    const refused = await call(origin, 'PUT', '/first/named', { headers, body: 'other' });
    t.is(refused.status, 501, name);
    t.regex(
      JSON.parse(refused.text).message,
      /^Headers of this service begin with x-bce-: .* with the prefix x-svc /,
    );
  }
  t.is((await call(origin, 'GET', '/first/named')).text, 'hello');

  for (const trailer of ['X-Bce-Content-Crc32', 'x-svc-content-crc32', 'x-amz-checksum-crc32']) {
    const chunked = { 'transfer-encoding': 'chunked', trailer };
    const late = await call(origin, 'PUT', '/first/named', { headers: chunked, body: 'other' });
    t.is(late.status, 501, trailer);
  }

  const headers = { 'x-bce-made-up': '1' };
  const unknown = await call(origin, 'PUT', '/first/named', { headers, body: 'other' });
  t.is(JSON.parse(unknown.text).message, 'PutObject does not support the header x-bce-made-up.');
  const wrong = await call(origin, 'PUT', '/first/other', {
    headers: { 'x-bce-content-crc32': '1' },
    body: 'hello',
  });
  t.is(wrong.status, 400);
  t.is(JSON.parse(wrong.text).code, 'BadDigest');
  t.is(JSON.parse(wrong.text).requestId, wrong.headers['x-bce-request-id']);
});

test('caches keep hosts apart whose paths are different objects, also for a 304 and an error', async (t) => {
  const varyOf = async (options: HandlerOptions) => {
    const origin = await serve(t, { mount: '/storage', ...options });
    const seen: Record<string, unknown> = {};
    for (const [method, path, headers] of [
      ['GET', 'first/key', {}],
      ['GET', 'first/key', { 'if-none-match': '*' }],
      ['HEAD', 'first/key', {}],
      ['GET', 'first/none', {}],
      ['GET', 'first', {}],
      ['GET', 'first/%ff', {}],
      ['PUT', 'first/key', {}],
    ] as const) {
      const answer = await call(origin, method, `/storage/${path}`, { as: '', headers });
      seen[`${method} ${path} ${answer.status}`] = answer.headers.vary;
    }
    return seen;
  };
  const all = (own: string | undefined, others: string | undefined) => ({
    'GET first/key 200': own,
    'GET first/key 304': own,
    'HEAD first/key 200': own,
    'GET first/none 404': others,
    'GET first 403': others,
    'GET first/%ff 400': others,
    'PUT first/key 403': undefined,
  });
  t.deepEqual(await varyOf({}), all('Sec-Fetch-Dest', undefined));
  for (const place of [
    { host: 's3.example' },
    { baseHost: BASE_HOST },
    { hosts: { 'cdn.example': 'first' } },
  ]) {
    t.deepEqual(await varyOf(place), all('Sec-Fetch-Dest, Host', 'Host'));
    const trusted = { ...place, trustedContent: true, trustProxy: true };
    const names = 'Host, X-Forwarded-Host';
    t.deepEqual(await varyOf(trusted), all(names, names));
  }
});
