import test from 'ava';
import aws4 from 'aws4';
import fc from 'fast-check';
import { CREDENTIALS, NOW, refused, SIGNER, sha256, TEMPORARY, verifier } from './fixtures.js';
import { arrived, rawQueryOf, sdkPath, smithy, smithyRequest, type Wanted } from './oracles.js';

const date = new Date(NOW);

const signBySmithy = async (wanted: Wanted, signer = SIGNER) =>
  arrived(await smithy(signer).sign(smithyRequest(wanted), { signingDate: date }));

/** Like `@aws-sdk/s3-request-presigner`: the mode of the body is part of the query. */
const presignBySmithy = async (wanted: Wanted, signer = SIGNER, expiresIn = 900) => {
  const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...wanted.headers };
  const request = smithyRequest({ ...wanted, headers });
  return arrived(await smithy(signer).presign(request, { signingDate: date, expiresIn }));
};

/** All characters that a key may have, so no lone surrogates. */
const keys = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const words = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });
const queries = fc.dictionary(
  fc.oneof(fc.constantFrom('prefix', 'a', 'a-b', 'a=b', 'B', 'x-id', 'ä', '~'), words),
  fc.oneof(words, fc.array(words, { minLength: 1, maxLength: 3 })),
  { maxKeys: 5, noNullPrototype: true },
);
/** Excludes parameters of the signature, and names that the oracles lose. */
const isPlain = (name: string) =>
  !/^(|__proto__|x-amz-(algorithm|credential|signature)|awsaccesskeyid|signature)$/i.test(name);
const metadata = fc.dictionary(
  fc.constantFrom('x-amz-meta-a', 'x-amz-meta-a-b', 'x-amz-meta-b', 'x-amz-acl', 'content-type'),
  fc.stringMatching(/^[!-~]( {0,3}[!-~]){0,5}$/),
  { noNullPrototype: true },
);
const requests = fc
  .record({
    key: keys,
    query: queries,
    headers: metadata,
    method: fc.constantFrom('GET', 'PUT', 'POST'),
  })
  .map(({ key, query, headers, method }) => ({
    method,
    headers,
    path: `/s3/bucket${sdkPath(`/${key}`)}`,
    query: Object.fromEntries(Object.entries(query).filter(([name]) => isPlain(name))),
  }));

test('requests signed by @smithy/signature-v4 are accepted: any key, query and headers, in header and query', async (t) => {
  await fc.assert(
    fc.asyncProperty(requests, fc.constantFrom(SIGNER, TEMPORARY), async (wanted, signer) => {
      for (const sign of [signBySmithy, presignBySmithy]) {
        const request = await sign(wanted, signer);
        const { principal, accessKey } = await verifier.verify(request);
        t.is(accessKey, signer.accessKey);
        t.deepEqual(principal, CREDENTIALS[signer.accessKey]?.principal);
      }
    }),
    { numRuns: 150 },
  );
});

test('requests signed by aws4 are accepted: any key, query and headers, in header and query', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      requests,
      fc.boolean(),
      async ({ method, path, query, headers }, signQuery) => {
        const single = Object.fromEntries(
          Object.entries(query).map(([name, value]) => [
            name,
            Array.isArray(value) ? value[0] : value,
          ]),
        );
        const signed = aws4.sign(
          {
            service: 's3',
            region: 'us-east-1',
            method,
            host: 'files.example.com',
            path: `${path}?${rawQueryOf(single)}`,
            headers: { ...headers, ...(signQuery ? {} : { 'X-Amz-Date': '20130524T000000Z' }) },
            signQuery,
          },
          { accessKeyId: SIGNER.accessKey, secretAccessKey: SIGNER.secret },
        );
        const [rawPath = '', rawQuery = ''] = `${signed.path}`.split(/\?(.*)/s);
        const fields = Object.entries(signed.headers as Record<string, string>);
        const now = signQuery ? Date.now() : NOW;
        const request = { method, rawPath, rawQuery, rawHeaders: fields.flat(), now };
        t.is((await verifier.verify(request)).accessKey, SIGNER.accessKey);
      },
    ),
    { numRuns: 150 },
  );
});

const WANTED: Wanted = {
  method: 'PUT',
  path: '/s3/bucket/a%20b/../c//d',
  query: { partNumber: '1', uploadId: 'u' },
  headers: {
    'x-amz-meta-a': 'one  two',
    'content-type': 'text/plain',
    'x-amz-content-sha256': sha256(''),
  },
};

test('a request is rejected if any of its signed parts is changed', async (t) => {
  for (const sign of [signBySmithy, presignBySmithy]) {
    const request = await sign(WANTED);
    await verifier.verify(request);
    const code = 'SignatureDoesNotMatch';
    const alter = (part: object) => () => verifier.verify({ ...request, ...part });
    await refused(t, code, alter({ method: 'DELETE' }));
    for (const rawPath of [
      '/bucket/a%20b/../c//d',
      '/s3/bucket/c//d',
      '/s3/bucket/a%20b/../c/d',
      '/s3/bucket/a%20b/%2E./c/%2Fd',
    ]) {
      await refused(t, code, alter({ rawPath }), rawPath);
    }
    await refused(t, code, alter({ rawQuery: `${request.rawQuery}&acl` }));
    await refused(
      t,
      code,
      alter({ rawQuery: request.rawQuery.replace('uploadId=u', 'uploadId=v') }),
    );
    await refused(t, code, alter({ rawQuery: `${request.rawQuery}&partNumber=2` }));
    for (const [at, value] of request.rawHeaders.entries()) {
      const name = request.rawHeaders[at - 1] ?? '';
      if (at % 2 === 0 || /^(authorization|x-amz-date|x-amz-content-sha256)$/.test(name)) continue;
      const rawHeaders = request.rawHeaders.with(at, `${value}x`);
      await refused(t, code, alter({ rawHeaders }), name);
    }
  }
});

test('a path may arrive with a different percent-encoding of the same bytes, but not with others', async (t) => {
  const request = await presignBySmithy({ method: 'GET', path: '/b/%28a%29%2Fb%2B%C3%A4' });
  for (const rawPath of ['/b/(a)%2Fb+%C3%A4', '/b/%28%61%29%2fb%2b%c3%a4', '/%62/(a)%2Fb+Ã¤']) {
    t.is((await verifier.verify({ ...request, rawPath })).accessKey, SIGNER.accessKey);
  }
  for (const rawPath of ['/b/(a)/b+%C3%A4', '/b/(a)%252Fb+%C3%A4', '/b/(a)%2Fb%20%C3%A4']) {
    await refused(
      t,
      'SignatureDoesNotMatch',
      () => verifier.verify({ ...request, rawPath }),
      rawPath,
    );
  }
});

test('a plus in a query stands for a space, as the operations read it', async (t) => {
  const query = { prefix: 'a b+c' };
  const request = await signBySmithy({ method: 'GET', path: '/b', query });
  t.is(request.rawQuery, 'prefix=a%20b%2Bc');
  await verifier.verify({ ...request, rawQuery: 'prefix=a+b%2bc' });
  const other = () => verifier.verify({ ...request, rawQuery: 'prefix=a+b+c' });
  await refused(t, 'SignatureDoesNotMatch', other);
});

test('clocks may differ by 15 minutes, and a URL is valid for the time that it states', async (t) => {
  const minute = 60_000;
  const header = await signBySmithy(WANTED);
  for (const off of [-15, 15]) await verifier.verify({ ...header, now: NOW + off * minute });
  for (const off of [-15 * minute - 1, 15 * minute + 1]) {
    await refused(t, 'RequestTimeTooSkewed', () => verifier.verify({ ...header, now: NOW + off }));
  }
  const url = await presignBySmithy(WANTED, SIGNER, 604_800);
  for (const off of [-15 * minute, 604_800_000]) await verifier.verify({ ...url, now: NOW + off });
  for (const off of [-15 * minute - 1, 604_800_001]) {
    await refused(t, 'AccessDenied', () => verifier.verify({ ...url, now: NOW + off }));
  }
});

const swap = (fields: readonly string[], from: string | RegExp, to: string) =>
  fields.map((field) => field.replace(from, to));

test('a malformed Authorization header is rejected, whatever is wrong with it', async (t) => {
  const request = await signBySmithy(WANTED);
  const changes: readonly [string, string | RegExp, string][] = [
    ['AuthorizationHeaderMalformed', /SignedHeaders=[^,]+, /, ''],
    ['AuthorizationHeaderMalformed', /, Signature=\w+/, ''],
    ['AuthorizationHeaderMalformed', 'Signature=', 'Signature=0, Signature='],
    ['AuthorizationHeaderMalformed', 'SignedHeaders=', 'Signature=0, SignedHeaders='],
    ['AuthorizationHeaderMalformed', 'us-east-1', 'eu-central-1'],
    ['AuthorizationHeaderMalformed', '/s3/', '/sts/'],
    ['AuthorizationHeaderMalformed', 'aws4_request', 'aws4'],
    ['AuthorizationHeaderMalformed', '20130524/', '20130523/'],
    ['AuthorizationHeaderMalformed', ';host;', ';'],
    ['AuthorizationHeaderMalformed', 'content-type;host', 'host;content-type'],
    ['AuthorizationHeaderMalformed', 'content-type;', 'Content-Type;'],
    ['AuthorizationHeaderMalformed', 'host;', 'host;host;'],
    ['AccessDenied', ';x-amz-meta-a', ''],
    ['SignatureDoesNotMatch', 'content-type;', ''],
    ['SignatureDoesNotMatch', 'host;', 'host;if-match;'],
    ['SignatureDoesNotMatch', /Signature=./, 'Signature=g'],
    ['SignatureDoesNotMatch', /Signature=./, 'Signature='],
    ['InvalidAccessKeyId', SIGNER.accessKey, '__proto__'],
    ['InvalidRequest', 'AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256'],
    ['InvalidRequest', /AWS4.*/, 'AWS AKIAIOSFODNN7EXAMPLE:frJIUN8DYpKDtOLCwo//yllqDzg='],
    ['AccessDenied', '20130524T000000Z', '20130532T000000Z'],
    ['InvalidArgument', sha256(''), sha256('').toUpperCase()],
    ['InvalidArgument', sha256(''), 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD'],
    ['InvalidArgument', sha256(''), 'STREAMING-UNSIGNED-PAYLOAD'],
  ];
  for (const [code, from, to] of changes) {
    const rawHeaders = swap(request.rawHeaders, from, to);
    await refused(t, code, () => verifier.verify({ ...request, rawHeaders }), `${from} -> ${to}`);
  }
});

test('a repeated or missing header of the signature is rejected', async (t) => {
  const request = await signBySmithy(WANTED);
  const names = ['authorization', 'host', 'x-amz-date', 'x-amz-content-sha256'];
  for (const name of names) {
    const at = request.rawHeaders.indexOf(name);
    const value = request.rawHeaders[at + 1] as string;
    const twice = [...request.rawHeaders, name.toUpperCase(), value];
    await refused(
      t,
      'InvalidRequest',
      () => verifier.verify({ ...request, rawHeaders: twice }),
      name,
    );
    const without = request.rawHeaders.toSpliced(at, 2);
    if (name === 'authorization') continue;
    await t.throwsAsync(verifier.verify({ ...request, rawHeaders: without }), undefined, name);
  }
});

test('a signed Expect may be missing, because proxies grant and remove it', async (t) => {
  const headers = { ...WANTED.headers, expect: '100-continue' };
  const options = { signingDate: date, signableHeaders: new Set(['expect']) };
  const wanted = smithyRequest({ ...WANTED, headers });
  const request = arrived(await smithy(SIGNER).sign(wanted, options));
  const at = request.rawHeaders.indexOf('expect');
  const without = request.rawHeaders.toSpliced(at, 2);
  t.is((await verifier.verify({ ...request, rawHeaders: without })).accessKey, SIGNER.accessKey);
  const another = request.rawHeaders.with(at + 1, '200-ok');
  const code = 'SignatureDoesNotMatch';
  await refused(t, code, () => verifier.verify({ ...request, rawHeaders: another }));
});

test('a presigned URL with a missing, repeated or invalid parameter is rejected', async (t) => {
  const code = 'AuthorizationQueryParametersError';
  const request = await presignBySmithy(WANTED, TEMPORARY);
  const names = ['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature'];
  for (const name of names) {
    const [parameter = ''] = new RegExp(`X-Amz-${name}=[^&]*`).exec(request.rawQuery) ?? [];
    const without = request.rawQuery.replace(parameter, '');
    await refused(t, code, () => verifier.verify({ ...request, rawQuery: without }), name);
    for (const twin of [parameter, parameter.toLowerCase()]) {
      const rawQuery = `${request.rawQuery}&${twin}`;
      await refused(t, code, () => verifier.verify({ ...request, rawQuery }), twin);
    }
  }
  for (const expires of ['0', '-7', '604801', '1e3', '9'.repeat(30), '+9', '1.5']) {
    const rawQuery = request.rawQuery.replace(
      'Expires=900',
      `Expires=${encodeURIComponent(expires)}`,
    );
    await refused(t, 'AccessDenied', () => verifier.verify({ ...request, rawQuery }), expires);
  }
});

test('a temporary access key needs its session token, and a permanent one must have none', async (t) => {
  const guest = await signBySmithy(WANTED, { ...TEMPORARY, sessionToken: 'another' } as never);
  await refused(t, 'InvalidToken', () => verifier.verify(guest));
  const { accessKey, secret } = TEMPORARY;
  const bare = await presignBySmithy(WANTED, { accessKey, secret });
  await refused(t, 'InvalidToken', () => verifier.verify(bare));
  const much = await signBySmithy(WANTED, { ...SIGNER, sessionToken: 'x' } as never);
  await refused(t, 'InvalidToken', () => verifier.verify(much));
});

test('unsigned requests are anonymous, and their payload must match their headers', async (t) => {
  const { principal, payload } = await verifier.verify(
    arrived({ method: 'GET', path: '/b', headers: { host: 'h' } }),
  );
  t.is(principal, undefined);
  t.is(payload.sha256, undefined);
  t.deepEqual(payload.decode(Buffer.from('x')), Buffer.from('x'));
  // Another scheme is a login.
  const headers = { host: 'h', authorization: 'Basic YTpi' };
  const basic = arrived({ method: 'GET', path: '/b', headers });
  t.is((await verifier.verify(basic)).accessKey, undefined);
  t.false(verifier.isSigned(basic));
});
