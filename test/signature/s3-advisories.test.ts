import { s3Verifier } from '@bucketware/signature';
import test from 'ava';
import {
  CREDENTIALS,
  NOW,
  open,
  PRINCIPAL,
  refused,
  requestOf,
  SIGNER,
  sha256,
  verifier,
} from './fixtures.js';
import { arrived, smithy, smithyRequest } from './oracles.js';

/** Requests that other servers accepted by mistake. Each title names the source. */

const UNSIGNED_TRAILER = {
  'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'x-amz-decoded-content-length': '3',
  'x-amz-trailer': 'x-amz-checksum-crc32',
};
const signed = async (method: string, path: string, headers: Readonly<Record<string, string>>) =>
  arrived(
    await smithy().sign(smithyRequest({ method, path, headers }), { signingDate: new Date(NOW) }),
  );
const presigned = async (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
) =>
  arrived(
    await smithy().presign(
      smithyRequest({
        method,
        path,
        headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...headers },
      }),
      { signingDate: new Date(NOW), expiresIn: 900 },
    ),
  );
const forged = (fields: readonly string[]) =>
  fields.map((field) => field.replace(/Signature=\w{8}/, 'Signature=deadbeef'));

test('an unsigned trailer does not make up for a forged signature (MinIO CVE-2025-31489, CVE-2026-40344)', async (t) => {
  const request = await signed('PUT', '/b/k', UNSIGNED_TRAILER);
  await verifier.verify(request);
  const rawHeaders = forged(request.rawHeaders);
  await refused(t, 'SignatureDoesNotMatch', () => verifier.verify({ ...request, rawHeaders }));
});

test('credentials in the query are also verified with an unsigned trailer (MinIO GHSA-hv4r-mvr4-25vw)', async (t) => {
  const { rawQuery } = await presigned('PUT', '/b/k');
  const request = requestOf(
    'PUT',
    `http://files.example.com:8443/b/k?${rawQuery}`,
    UNSIGNED_TRAILER,
  );
  await refused(t, 'AccessDenied', () => verifier.verify(request));
  const credential = `${SIGNER.accessKey}%2F20130524%2Fus-east-1%2Fs3%2Faws4_request`;
  for (const query of [
    `X-Amz-Credential=${credential}`,
    `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${credential}`,
  ]) {
    const bare = requestOf('PUT', `http://h/b/k?${query}`, UNSIGNED_TRAILER);
    await refused(t, 'AuthorizationQueryParametersError', () => verifier.verify(bare));
  }
});

test('credentials in both header and query are rejected (supabase/supabase 48880)', async (t) => {
  const request = await signed('GET', '/b/k', {});
  const { rawQuery } = await presigned('GET', '/b/k');
  for (const query of [rawQuery, 'X-Amz-Signature=0', 'x-amz-credential=a', 'AWSAccessKeyId=a']) {
    await refused(
      t,
      'InvalidArgument',
      () => verifier.verify({ ...request, rawQuery: query }),
      query,
    );
  }
});

test('unsigned streaming does not bypass the signature of a request (SeaweedFS 2180, PR 7954)', async (t) => {
  const request = await signed('PUT', '/b/k', { 'x-amz-content-sha256': sha256('abc') });
  const at = request.rawHeaders.indexOf(sha256('abc'));
  for (const mode of ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'UNSIGNED-PAYLOAD']) {
    const rawHeaders = [...request.rawHeaders.with(at, mode), 'X-Amz-Decoded-Content-Length', '3'];
    await t.throwsAsync(verifier.verify({ ...request, rawHeaders }), { name: 'SignatureError' });
  }
  const { principal, payload } = await verifier.verify(
    requestOf('PUT', 'http://h/b/k', UNSIGNED_TRAILER),
  );
  t.is(principal, undefined, 'without a signature it is an anonymous request');
  await refused(t, 'IncompleteBody', () =>
    open({ principal, payload, accessKey: undefined }, Buffer.from('abc')),
  );
});

test('a presigned URL allows no unsigned header, such as a copy source (Swift CVE-2026-71191)', async (t) => {
  const request = await presigned('PUT', '/b/k');
  for (const header of [
    'x-amz-copy-source',
    'X-Amz-Acl',
    'x-amz-grant-full-control',
    'x-amz-meta-a',
    'X-AMZ-TAGGING',
  ]) {
    const rawHeaders = [...request.rawHeaders, header, '/secrets/key'];
    await refused(t, 'AccessDenied', () => verifier.verify({ ...request, rawHeaders }), header);
  }
  const rawHeaders = [...request.rawHeaders, 'X-Amz-Cf-Id', 'of CloudFront'];
  t.is((await verifier.verify({ ...request, rawHeaders })).accessKey, SIGNER.accessKey);
});

test('an old request is rejected, and so is a date other than the signed one (CVE-2015-8466)', async (t) => {
  const request = await signed('GET', '/b/k', {});
  const later = NOW + 86_400_000;
  await refused(t, 'RequestTimeTooSkewed', () => verifier.verify({ ...request, now: later }));
  const moved = request.rawHeaders.map((field) => field.replaceAll('20130524', '20130525'));
  await refused(t, 'SignatureDoesNotMatch', () =>
    verifier.verify({ ...request, rawHeaders: moved, now: later }),
  );
});

test('query parameters are sorted by their bytes, not by a locale (BentoS3)', async (t) => {
  const names = ['a', 'B', 'a-b', 'a_b', 'ä', 'Z', '~', '1', 'a.b', 'x-id'];
  const query = Object.fromEntries(names.map((name) => [name, name]));
  const request = arrived(
    await smithy().sign(smithyRequest({ method: 'GET', path: '/b', query }), {
      signingDate: new Date(NOW),
    }),
  );
  t.is((await verifier.verify(request)).accessKey, SIGNER.accessKey);
});

test('forwarded hosts are ignored unless the app trusts the proxy (CVE-2026-21862)', async (t) => {
  const request = await signed('GET', '/b/k', {});
  const at = request.rawHeaders.indexOf('host') + 1;
  const host = request.rawHeaders[at] as string;
  const rawHeaders = [...request.rawHeaders.with(at, '10.0.0.1'), 'X-Forwarded-Host', host];
  await refused(t, 'SignatureDoesNotMatch', () => verifier.verify({ ...request, rawHeaders }));
  t.is((await verifier.verify({ ...request, rawHeaders, host })).accessKey, SIGNER.accessKey);
});

test('an unknown access key causes the same work as a wrong signature', async (t) => {
  const accessKeys: string[] = [];
  const slow = s3Verifier({
    credentials: async (accessKey) => {
      accessKeys.push(accessKey);
      return CREDENTIALS[accessKey];
    },
  });
  const request = await signed('GET', '/b/k', {});
  t.deepEqual((await slow.verify(request)).principal, PRINCIPAL);
  const rawHeaders = request.rawHeaders.map((field) => field.replace(SIGNER.accessKey, 'nobody'));
  await refused(t, 'InvalidAccessKeyId', () => slow.verify({ ...request, rawHeaders }));
  await refused(t, 'SignatureDoesNotMatch', () =>
    slow.verify({ ...request, rawHeaders: forged(request.rawHeaders) }),
  );
  t.deepEqual(accessKeys, [SIGNER.accessKey, 'nobody', SIGNER.accessKey]);
});

test('names of Object.prototype are not access keys, and an empty secret is invalid', async (t) => {
  const request = await signed('GET', '/b/k', {});
  for (const name of ['constructor', '__proto__', 'toString']) {
    const rawHeaders = request.rawHeaders.map((field) => field.replace(SIGNER.accessKey, name));
    await refused(t, 'InvalidAccessKeyId', () => verifier.verify({ ...request, rawHeaders }), name);
  }
  const open = s3Verifier({ credentials: () => ({ secret: '', principal: PRINCIPAL }) });
  await t.throwsAsync(open.verify(request), { instanceOf: TypeError });
});

test('options are checked', (t) => {
  t.throws(() => s3Verifier({} as never), { message: /needs the option credentials/ });
  t.throws(() => s3Verifier({ credentials: {}, region: 'a' } as never), { message: /regions/ });
  t.throws(() => s3Verifier({ credentials: {}, regions: [] }), { instanceOf: TypeError });
});
