import { presignS3, presignV1, signS3, withoutAwsChunked } from '@bucketware/signature';
import test from 'ava';
import fc from 'fast-check';
import { NOW, open, refused, requestOf, SIGNER, sha256, TEMPORARY, verifier } from './fixtures.js';
import { sdkPath, smithy, smithyRequest } from './oracles.js';

const PUBLIC = 'https://files.example.com:8443/s3';

const targets = fc.record({
  key: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  query: fc.dictionary(
    fc.constantFrom('response-content-type', 'x-id', 'prefix', 'ä b'),
    fc.string({ unit: 'grapheme', maxLength: 10 }),
    { noNullPrototype: true },
  ),
  headers: fc.dictionary(
    fc.constantFrom('content-type', 'x-amz-meta-a', 'X-Amz-Acl'),
    fc.stringMatching(/^[!-~]( {0,2}[!-~]){0,5}$/),
    { noNullPrototype: true },
  ),
  expires: fc.integer({ min: 1, max: 604_800 }),
});

test('presigned URLs and signed headers equal those of @smithy/signature-v4', async (t) => {
  await fc.assert(
    fc.asyncProperty(targets, fc.constantFrom(SIGNER, TEMPORARY), async (given, signer) => {
      const { key, query, headers, expires } = given;
      const path = `/bucket/${key}`;
      const wanted = { method: 'PUT', path: `/s3${sdkPath(path)}`, query, headers };
      const target = { publicUrl: PUBLIC, method: 'PUT', path, query, headers, now: NOW };
      const options = { signingDate: new Date(NOW) };
      const hash = sha256(key);
      const theirs = await smithy(signer).sign(
        smithyRequest({ ...wanted, headers: { ...headers, 'x-amz-content-sha256': hash } }),
        options,
      );
      const ours = signS3(signer, { ...target, payloadHash: hash });
      t.is(ours.authorization, theirs.headers.authorization);
      const unsigned = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
      const hoisted = await smithy(signer).presign(
        smithyRequest({ ...wanted, headers: { ...headers, ...unsigned } }),
        {
          ...options,
          expiresIn: expires,
          unhoistableHeaders: new Set(Object.keys(headers).map((name) => name.toLowerCase())),
        },
      );
      const url = presignS3(signer, {
        ...target,
        query: { ...query, ...unsigned },
        expires,
      });
      t.is(/X-Amz-Signature=(.*)/.exec(url)?.[1], hoisted.query?.['X-Amz-Signature'] as string);
      const link = presignS3(signer, { ...target, expires });
      t.is((await verifier.verify(requestOf('PUT', link, headers))).accessKey, signer.accessKey);
    }),
    { numRuns: 100 },
  );
});

test('the body of a signed request must match its hash', async (t) => {
  const target = { publicUrl: 'http://h', method: 'PUT', path: '/b/k', now: NOW };
  const headers = signS3(SIGNER, { ...target, payloadHash: sha256('abc') });
  const request = requestOf('PUT', 'http://h/b/k', headers);
  t.is(`${await open(await verifier.verify(request), Buffer.from('abc'))}`, 'abc');
  const other = await verifier.verify(request);
  await refused(t, 'XAmzContentSHA256Mismatch', () => open(other, Buffer.from('abd')));
});

test('a URL starts with the public one, without default ports and with its mount once', (t) => {
  const start = (publicUrl: string) =>
    presignS3(SIGNER, { publicUrl, method: 'GET', path: '/b/a b/../c', now: NOW }).split('?')[0];
  t.is(start('https://files.example.com:443/s3/'), 'https://files.example.com/s3/b/a%20b/../c');
  t.is(start('http://[::1]:80'), 'http://[::1]/b/a%20b/../c');
});

test('a request that cannot be signed is an error of the caller', (t) => {
  const target = { publicUrl: PUBLIC, method: 'GET', path: '/b/k', now: NOW };
  for (const expires of [0, -1, 1.5, 604_801, Number.NaN]) {
    t.throws(() => presignS3(SIGNER, { ...target, expires }), { instanceOf: RangeError });
  }
  for (const expires of [0, -2, 1.5]) {
    t.throws(() => presignV1(SIGNER, { ...target, expires }), { instanceOf: RangeError });
  }
  for (const changes of [
    { path: 'b' },
    { publicUrl: 'ftp://h' },
    { publicUrl: 'http://h?a' },
    { publicUrl: 'h' },
    // Object.entries() finds nothing in these: the headers would not be signed.
    { headers: new Headers({ range: 'bytes=0-1' }) as never },
    { query: new URLSearchParams('acl') as never },
  ]) {
    t.throws(() => presignS3(SIGNER, { ...target, ...changes }), { instanceOf: TypeError });
  }
});

test('aws-chunked is not an encoding of the object', (t) => {
  t.is(withoutAwsChunked('aws-chunked'), undefined);
  t.is(withoutAwsChunked('AWS-Chunked, gzip,aws-chunked'), 'gzip');
  t.is(withoutAwsChunked('gzip, br'), 'gzip, br');
});
