import { presignV1, signV1, v1Verifier } from '@bucketware/signature';
import test from 'ava';
import fc from 'fast-check';
import { hmac, PRINCIPAL, refused, requestOf } from './fixtures.js';

const SIGNER = { accessKey: 'my_ak', secret: 'my_sk' };
const GUEST = { accessKey: 'guest', secret: 'passing', sessionToken: 't/k==' };
const credentials = {
  my_ak: { secret: 'my_sk', principal: PRINCIPAL },
  guest: {
    secret: GUEST.secret,
    sessionToken: GUEST.sessionToken,
    principal: { ...PRINCIPAL, userId: 'guest' },
  },
};
const NOW = Date.parse('2014-06-13T05:57:36Z');
const MOUNT = '/storage';
const verifier = v1Verifier({ credentials, headerPrefix: 'x-svc-' });

const mounted = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  now = NOW,
) => ({ ...requestOf(method, `http://127.0.0.1:8080${MOUNT}${path}`, headers, now), mount: MOUNT });

interface Vector {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly names: string;
  readonly headerPrefix: string;
  readonly signature: string;
  readonly inQuery?: boolean;
}

/** Test vectors of the dialect's SDKs: a request and its signature. */
const VECTORS: readonly Vector[] = [
  {
    method: 'PUT',
    url: 'http://bce.baidu.com/v1/bucket/object1?A=&C=d&b',
    headers: { 'x-bce-meta-key1': 'ABC' },
    names: 'host;x-bce-meta-key1',
    headerPrefix: 'x-bce-',
    signature: '80c9672aca2ea9af4bb40b9a8ff458d72df94e97d550840727f3a929af271d25',
  },
  {
    method: 'PUT',
    url: 'http://bce.baidu.com/v1/bucket/object1?b=&C=d&A&Authorization=',
    headers: { 'X-Svc-Meta-Key1': ' ABC\t', 'x-svc-meta-empty': '' },
    names: '',
    headerPrefix: 'x-svc-',
    signature: 'fdc11838641645091e845f084e92ac8395cfd483afcbf1c9572351cd7a5d725a',
    inQuery: true,
  },
  {
    method: 'GET',
    url: 'http://127.0.0.1:8080/my%20bucket/%E4%BD%A0%E5%A5%BD/a~b.txt',
    headers: { 'x-svc-date': '2014-06-13T05:57:36Z', 'user-agent': 'any' },
    names: 'host;x-svc-date',
    headerPrefix: 'x-svc-',
    signature: '6dbc915676f14a1ecc6e2c63a1a7f589095907d16ec989eef877f0de97ce5dd3',
  },
  {
    method: 'GET',
    url: 'http://127.0.0.1:8080/my-bucket/a%2bb?responseContentType=text/plain',
    headers: {},
    names: 'host',
    headerPrefix: 'x-svc-',
    signature: 'fc07a6760be3deec2640222ff117504d59ea66289d05ea4fc16bb48daf99f15e',
  },
];

test('the test vectors of the dialect pass, with and without the prefix of a mount', async (t) => {
  for (const { method, url, headers, names, headerPrefix, signature, inQuery } of VECTORS) {
    const text = `bce-auth-v1/my_ak/2014-06-13T05:57:36Z/1800/${names}/${signature}`;
    const { verify } = v1Verifier({ credentials, headerPrefix });
    const query = inQuery
      ? url.replace('Authorization=', `Authorization=${encodeURIComponent(text)}`)
      : url;
    const request = requestOf(
      method,
      query,
      { ...headers, ...(inQuery ? {} : { authorization: text }) },
      NOW,
    );
    t.deepEqual(await verify(request), { principal: PRINCIPAL, accessKey: 'my_ak' }, url);
    const below = { ...request, mount: MOUNT, rawPath: `${MOUNT}${request.rawPath}` };
    t.is((await verify(below)).accessKey, 'my_ak', url);
    await refused(t, 'SignatureDoesNotMatch', () => verify({ ...below, mount: '' }), url);
  }
});

test('signing creates the same signatures', (t) => {
  const target = { publicUrl: 'http://bce.baidu.com', path: '/v1/bucket/object1', now: NOW };
  const { authorization } = signV1(SIGNER, {
    ...target,
    method: 'PUT',
    query: { A: '', b: '', C: 'd' },
    headers: { 'x-bce-meta-key1': 'ABC' },
  });
  const [vector] = VECTORS;
  t.is(
    authorization,
    `bce-auth-v1/my_ak/2014-06-13T05:57:36Z/1800/${vector?.names}/${vector?.signature}`,
  );
});

/** The signature of SDKs that sign a request without its host, which is rejected here. */
test('the host must be signed', async (t) => {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': '0' };
  const canonical =
    'DELETE\n/v1/test-bucket1361199862\n\ncontent-length:0\ncontent-type:application%2Fjson%3B%20charset%3Dutf-8';
  const key = hmac('my_sk', 'bce-auth-v1/my_ak/2014-06-13T05:57:36Z/1800').toString('hex');
  const signature = hmac(key, canonical).toString('hex');
  t.is(signature, 'c9386b15d585960ae5e6972f73ed92a9a682dc81025480ba5b41206d3e489822');
  const authorization = `bce-auth-v1/my_ak/2014-06-13T05:57:36Z/1800/content-length;content-type/${signature}`;
  const request = requestOf(
    'DELETE',
    'http://h/v1/test-bucket1361199862',
    { ...headers, authorization },
    NOW,
  );
  await refused(t, 'InvalidHTTPAuthHeader', () => verifier.verify(request));
});

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });

test('signed requests are accepted: any key, query and header, in header and query', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.dictionary(text, text, { maxKeys: 3, noNullPrototype: true }),
      fc.stringMatching(/^[!-~](.?[!-~])*$/u),
      fc.constantFrom(SIGNER, GUEST),
      async (key, given, value, signer) => {
        const query = Object.fromEntries(
          Object.entries(given).filter(([name]) => !/^authorization$/i.test(name)),
        );
        const headers = { 'x-svc-meta-a': value, 'x-svc-meta-a-b': value };
        const target = {
          publicUrl: `http://127.0.0.1:8080${MOUNT}/`,
          method: 'PUT',
          path: `/bucket/${key}`,
          query,
          headers,
          now: NOW,
        };
        const url = presignV1(signer, target).slice(`http://127.0.0.1:8080${MOUNT}`.length);
        const linked = mounted('PUT', url, headers);
        t.is((await verifier.verify(linked)).accessKey, signer.accessKey);
        const bare = url
          .replace(/[?&](authorization|x-svc-security-token)=[^&]*/g, '')
          .replace(/&/, '&');
        const path = bare.includes('?') ? bare : bare.replace('&', '?');
        const signed = mounted('PUT', path, { ...headers, ...signV1(signer, target) });
        t.is((await verifier.verify(signed)).accessKey, signer.accessKey);
      },
    ),
    { numRuns: 100 },
  );
});

const link = (signer = SIGNER, changes: object = {}) =>
  presignV1(signer, {
    publicUrl: `http://127.0.0.1:8080${MOUNT}`,
    method: 'PUT',
    path: '/bucket/key',
    query: { append: '' },
    now: NOW,
    ...changes,
  }).slice(`http://127.0.0.1:8080${MOUNT}`.length);

test('a request is rejected if any of its signed parts is changed', async (t) => {
  const code = 'SignatureDoesNotMatch';
  const good = link();
  await verifier.verify(mounted('PUT', good, { 'content-type': 'text/plain', range: 'bytes=0-1' }));
  await refused(t, code, () => verifier.verify(mounted('DELETE', good, {})));
  for (const [from, to] of [
    ['/bucket/', '/other/'],
    ['/bucket/', '/bucket//'],
    ['/bucket/key', '/bucket%2Fkey'],
    ['append=', 'append=1'],
    ['append=', 'acl=&append='],
    ['append=&', ''],
    ['2014-06-13', '2014-06-12'],
    ['%2F1800%2F', '%2F1801%2F'],
    [/[0-9a-f]{64}/, 'a'.repeat(64)],
  ] as const) {
    const url = good.replace(from, to);
    const now = NOW - (to === '2014-06-12' ? 86_400_000 : 0);
    await refused(t, code, () => verifier.verify(mounted('PUT', url, {}, now)), `${from} -> ${to}`);
  }
  await refused(t, code, () => verifier.verify(mounted('PUT', good, { host: 'other' })));
  for (const header of ['x-svc-copy-source', 'X-Svc-Acl']) {
    await refused(
      t,
      code,
      () => verifier.verify(mounted('PUT', good, { [header]: '/b/k' })),
      header,
    );
  }
  await refused(t, 'InvalidAccessKeyId', () =>
    verifier.verify(mounted('PUT', good.replace('my_ak', 'constructor'), {})),
  );
});

test('a signature without a list covers every header of the interface', async (t) => {
  const canonical = 'PUT\n/bucket/key\n\nhost:127.0.0.1%3A8080\nx-svc-meta-a-b:2\nx-svc-meta-a:1';
  const start = 'bce-auth-v1/my_ak/2014-06-13T05:57:36Z/1800';
  const signature = hmac(hmac('my_sk', start).toString('hex'), canonical).toString('hex');
  const headers = {
    'x-svc-meta-a': '1',
    'x-svc-meta-a-b': '2',
    authorization: `${start}//${signature}`,
  };
  await verifier.verify(mounted('PUT', '/bucket/key', headers));
  for (const name of ['x-svc-copy-source', 'content-type', 'content-md5']) {
    const request = mounted('PUT', '/bucket/key', { ...headers, [name]: 'x' });
    await refused(t, 'SignatureDoesNotMatch', () => verifier.verify(request), name);
  }
});

test('a signature is valid for the stated time, and from 15 minutes before its timestamp', async (t) => {
  const at = (url: string, now: number) => () => verifier.verify(mounted('PUT', url, {}, now));
  await at(link(), NOW + 1_800_000)();
  await refused(t, 'RequestExpired', at(link(), NOW + 1_800_001));
  await at(link(), NOW - 900_000)();
  await refused(t, 'RequestTimeTooSkewed', at(link(), NOW - 900_001));
  await at(link(SIGNER, { expires: -1 }), NOW + 1e12)();
});

test('a malformed signature is rejected, and so are two of them', async (t) => {
  const code = 'InvalidHTTPAuthHeader';
  const good = `bce-auth-v1/my_ak/2014-06-13T05:57:36Z/1800/host/${'0'.repeat(64)}`;
  const bad = [
    '',
    'Bearer x',
    good.replace('v1', 'v2'),
    good.replace('my_ak', ''),
    good.replace('06-13', '06-31'),
    good.replace('06-13', '13-13'),
    good.replace('06-13', '00-13'),
    good.replace('06-13', '06-00'),
    good.replace('05:57', '24:57'),
    good.replace('05:57', '05:60'),
    good.replace('Z', ''),
    good.replace('1800', '0'),
    good.replace('1800', '-2'),
    good.replace('1800', '1e3'),
    good.replace('1800', ''),
    good.replace('/host', ''),
    `${good}0`,
    good.slice(0, -1),
    good.toUpperCase(),
    `${good}/`,
  ];
  for (const authorization of bad) {
    await refused(
      t,
      code,
      () => verifier.verify(mounted('GET', '/b', { authorization })),
      authorization,
    );
  }
  const both = mounted('PUT', link(), { authorization: good });
  await refused(t, code, () => verifier.verify(both));
});

test('a session token must belong to its access key', async (t) => {
  const { accessKey, secret } = GUEST;
  for (const sessionToken of ['other', '']) {
    const url = link({ accessKey, secret, sessionToken } as never);
    await refused(t, 'InvalidToken', () => verifier.verify(mounted('PUT', url, {})));
  }
  await refused(t, 'InvalidToken', () =>
    verifier.verify(mounted('PUT', link({ accessKey, secret }), {})),
  );
});

test('a request without a signature of this kind is recognized', async (t) => {
  const plain = mounted('GET', '/b', {});
  t.deepEqual(await verifier.verify(plain), { principal: undefined, accessKey: undefined });
  t.false(verifier.isSigned(plain));
  t.false(
    verifier.isSigned(mounted('GET', '/b?authorization=Bearer', { authorization: 'Bearer x' })),
  );
  t.true(verifier.isSigned(mounted('PUT', link(), {})));
  t.true(verifier.isSigned(mounted('PUT', '/b', { authorization: 'bce-auth-v1/' })));
});
