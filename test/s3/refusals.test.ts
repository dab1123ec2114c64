import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  CreateBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { s3 } from '@bucketware/s3';
import { signS3 } from '@bucketware/signature';
import test from 'ava';
import { carriers } from '../http/carriers.js';
import { call } from '../http/raw.js';
import { alice, onKoa } from '../http/servers.js';
import { KEYS, outcomeOf, serverOfTests, startS3 } from './servers.js';

const server = await serverOfTests(onKoa, { baseHost: 's3.test' });
test.before(async () => {
  await server.client().send(new CreateBucketCommand({ Bucket: 'bucket' }));
  await server.client().send(new PutObjectCommand({ Bucket: 'bucket', Key: 'there', Body: 'x' }));
});

const { accessKeyId: accessKey, secretAccessKey: secret } = KEYS.alice;

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Signs a request of alice. Resolves to the error code of the response, or to its status. */
async function send({ method = 'PUT', path, query = {}, headers = {}, body }: Request) {
  const { 'x-amz-content-sha256': payloadHash } = headers;
  const target = { publicUrl: server.url, method, path, query, headers, now: Date.now() };
  const signed = signS3({ accessKey, secret }, { ...target, payloadHash });
  const search = new URLSearchParams(query).toString();
  const url = `${server.url}${path}${search === '' ? '' : `?${search}`}`;
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...signed },
    body: body ?? null,
  });
  return /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1] ?? answer.status;
}

const isStored = async (key: string) =>
  (await send({ method: 'HEAD', path: `/bucket/${key}` })) === 200;

test('a body that differs from the announced one is rejected, and leaves nothing', async (t) => {
  const chunked = {
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'x-amz-decoded-content-length': '5',
    'x-amz-trailer': 'x-amz-checksum-crc32',
  };
  const streamed = { ...chunked, 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' };
  const { 'x-amz-trailer': _, ...withoutTrailer } = streamed;
  const attempts: Record<string, readonly [Request['headers'], string, string]> = {
    hash: [{ 'x-amz-content-sha256': '0'.repeat(64) }, 'hello', 'XAmzContentSHA256Mismatch'],
    trailer: [chunked, '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n', 'BadDigest'],
    missing: [chunked, '5\r\nhello\r\n0\r\n\r\n', 'MalformedTrailerError'],
    short: [chunked, '2\r\nhe\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n', 'IncompleteBody'],
    signature: [
      withoutTrailer,
      `5;chunk-signature=${'0'.repeat(64)}\r\nhello\r\n0;chunk-signature=${'0'.repeat(64)}\r\n\r\n`,
      'SignatureDoesNotMatch',
    ],
    md5: [{ 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }, 'hello', 'BadDigest'],
    digest: [{ 'content-md5': 'nonsense' }, 'hello', 'InvalidDigest'],
    sha1: [{ 'x-amz-checksum-sha1': 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' }, 'hello', 'BadDigest'],
  };
  for (const [key, [headers = {}, body, code]] of Object.entries(attempts)) {
    t.is(await send({ path: `/bucket/${key}`, headers, body }), code, key);
    t.false(await isStored(key), key);
  }
  const good = '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n';
  t.is(await send({ path: '/bucket/good', headers: chunked, body: good }), 200);
});

test('a request whose signed body was removed creates no bucket', async (t) => {
  const signedBody = { 'x-amz-content-sha256': '1'.repeat(64) };
  t.is(await send({ path: '/stripped', headers: signedBody }), 'XAmzContentSHA256Mismatch');
  t.is(await send({ method: 'HEAD', path: '/stripped' }), 404);
  t.is(await send({ path: '/not-stripped' }), 200);
});

test('chunks of an unsigned request are also verified', async (t) => {
  const headers = {
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    'x-amz-decoded-content-length': '0',
  };
  const url = `${server.url}/bucket/anonymous`;
  const answer = await fetch(url, { method: 'PUT', headers, body: '0\r\n\r\n' });
  t.regex(await answer.text(), /<Code>InvalidRequest<\/Code>/);
});

test('a signature of version 2 is rejected with advice, in a header and in a link', async (t) => {
  const url = `${server.url}/bucket/there`;
  const old = 'AWSAccessKeyId=AKALICE&Signature=a%2Bb&Expires=9999999999';
  for (const answer of [
    await fetch(`${url}?${old}`),
    await fetch(`${url}?Signature=a`),
    await fetch(`${url}?${old}`, { method: 'DELETE' }),
    await fetch(url, { headers: { authorization: 'AWS AKALICE:aaaa' } }),
  ]) {
    t.is(answer.status, 400);
    t.regex(await answer.text(), /<Code>InvalidRequest<\/Code>.*Signature Version 4.*s3v4/);
  }
  t.true(await isStored('there'));
});

test('an access key with an invalid principal fails, and is not treated as anonymous', async (t) => {
  const given: unknown[] = [
    undefined,
    false,
    {},
    { ...alice, userId: '' },
    { ...alice, userId: 7 },
  ];
  const looking = async () => ({ secret, principal: given[0] }) as never;
  const failures: unknown[] = [];
  const wrong = await startS3(onKoa, {
    dialect: s3({ credentials: looking }),
    authorize: () => true,
    onError: (error) => failures.push(error),
  });
  t.teardown(() => wrong.close());
  while (given.length > 0) {
    t.is(await outcomeOf(wrong.client().send(new ListBucketsCommand({}))), '500 InternalError');
    t.regex(String(failures.pop()), /CredentialError: .* principal/);
    given.shift();
  }
});

test('unsupported requests are rejected, and never treated as another operation', async (t) => {
  const path = '/bucket/there';
  for (const name of ['retention', 'legal-hold', 'restore', 'torrent', 'Tagging']) {
    for (const method of ['GET', 'PUT', 'DELETE', 'POST']) {
      const code = await send({ method, path, query: { [name]: '' } });
      t.true(
        code === 'NotImplemented' || code === 'MethodNotAllowed',
        `${method} ${name}: ${code}`,
      );
    }
  }
  for (const name of ['policy', 'versioning', 'encryption', 'website', 'object-lock']) {
    const code = await send({
      method: 'PUT',
      path: '/bucket',
      query: { [name]: '' },
      body: '<a/>',
    });
    t.is(code, 'NotImplemented', name);
    if (name === 'versioning') continue;
    t.is(
      await send({ method: 'DELETE', path: '/bucket', query: { [name]: '' } }),
      'NotImplemented',
    );
  }
  t.is(await send({ method: 'DELETE', path, query: { versionId: 'other' } }), 'NoSuchKey');
  t.is(await send({ method: 'GET', path, query: { partNumber: '2' } }), 'InvalidPart');
  const locked = { 'x-amz-object-lock-legal-hold': 'ON' };
  t.is(await send({ path, headers: locked, body: 'y' }), 'NotImplemented');
  t.is(await send({ method: 'POST', path, query: { tagging: '' } }), 'MethodNotAllowed');
  t.is(await send({ path, query: { 'x-amz-copy-source': '/bucket/there' } }), 'NotImplemented');
  t.true(await isStored('there'));
});

/** The parameters that select a feature in any request of the SDK. */
function markersOfSdk(): string[] {
  const directory = join(
    dirname(createRequire(import.meta.url).resolve('@aws-sdk/client-s3')),
    '..',
  );
  const schemas = join(directory, 'dist-es', 'schemas');
  const text = readdirSync(schemas).map((name) => readFileSync(join(schemas, name), 'utf8'));
  const found = text.join().matchAll(/\?([\w-]+)(?=["&])/g);
  return [...new Set([...found].map(([, name = '']) => name))];
}

test('no feature of the SDK is treated as reading, writing or deleting an object', async (t) => {
  const names = markersOfSdk();
  t.true(names.length > 30 && names.includes('annotation') && names.includes('acl'), names.join());
  const path = '/bucket/there';
  for (const name of names) {
    const query = { [name]: '' };
    const body = 'overwritten';
    const sent = [
      await send({ method: 'PUT', path, query, body }),
      await send({ method: 'DELETE', path, query }),
    ];
    // Tagging is offered. Its deletion does not change the object.
    t.false(
      sent.some((code) => code === 200),
      `${name}: ${sent}`,
    );
    const target = { publicUrl: server.url, method: 'GET', path, query, headers: {} };
    const signed = signS3({ accessKey, secret }, { ...target, now: Date.now() });
    const answer = await fetch(`${server.url}${path}?${name}=`, { headers: signed });
    t.not(await answer.text(), 'x', name);
  }
  t.is(await send({ method: 'GET', path }), 200);
  const { ContentLength } = await server
    .client()
    .send(new HeadObjectCommand({ Bucket: 'bucket', Key: 'there' }));
  t.is(ContentLength, 1);
});

test('XML with a document type or the wrong structure changes nothing', async (t) => {
  const bomb = '<!DOCTYPE a [<!ENTITY b "x">]><Delete><Object><Key>there</Key></Object></Delete>';
  const unknown = '<Delete><Object><Key>there</Key></Object><Force>true</Force></Delete>';
  const conditional = '<Delete><Object><Key>there</Key><ETag>x</ETag></Object></Delete>';
  const request = { method: 'POST', path: '/bucket', query: { delete: '' } };
  t.is(await send({ ...request, body: bomb }), 'MalformedXML');
  t.is(await send({ ...request, body: unknown }), 'MalformedXML');
  t.is(await send({ ...request, body: conditional }), 'NotImplemented');
  t.true(await isStored('there'));
});

test('a bucket of an owner other than the expected one is not changed', async (t) => {
  const request = { method: 'DELETE', path: '/bucket/there' };
  const headers = { 'x-amz-expected-bucket-owner': 'u-bob' };
  t.is(await send({ ...request, headers }), 'AccessDenied');
  t.true(await isStored('there'));
});

test('the bucket may be in the host name, behind a proxy', async (t) => {
  const now = Date.now();
  const payload = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const host = `bucket.s3.test:${new URL(server.origin).port}`;
  const target = { method: 'GET', path: '/there', headers: payload, now };
  const signed = signS3({ accessKey, secret }, { ...target, publicUrl: `http://${host}` });
  const answer = await call(server.origin, 'GET', '/there', {
    headers: { ...payload, ...signed, host },
  });
  t.is(answer.status, 200, answer.text);

  const behind = await startS3(carriers.express5, { publicUrl: 'https://files.example/data' });
  const outside = { ...target, path: '/', publicUrl: 'https://files.example/data' };
  const headers = { ...payload, ...signS3({ accessKey, secret }, outside) };
  t.is((await call(behind.origin, 'GET', '/s3/', { headers })).status, 200);
  await behind.close();
});
