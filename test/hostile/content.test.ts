import { inspect } from 'node:util';
import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';
import { carriers } from '../http/carriers.js';
import { call } from '../http/raw.js';
import { alice, listen } from '../http/servers.js';
import { delegate } from '../http/soundness.js';
import { ACTIVE } from './corpus.js';
import { type Answer, headerOf } from './scan.js';
import { BASE_HOST, IN_MEMORY, type Sent, type Stage, stage } from './stage.js';

const PAGE = '<script>alert(1)</script>';

/** Every response that contains stored data or metadata. */
const WAYS: readonly (readonly [method: string, path: string, sent?: Sent])[] = [
  ['GET', '/bucket/page'],
  ['HEAD', '/bucket/page'],
  ['GET', '/bucket/page', { as: '' }],
  ['GET', '/bucket/page', { headers: { range: 'bytes=0-7' } }],
  ['GET', '/bucket/page', { headers: { range: 'bytes=-1', 'if-range': '*' } }],
  ['GET', '/v1/bucket/page'],
  ['GET', '/page', { headers: { host: `bucket.${BASE_HOST}` } }],
  ['GET', '/bucket/page?responseContentType=text%2Fhtml'],
  ['GET', '/bucket/page?responseContentDisposition=inline&responseCacheControl=no-cache'],
  ['GET', '/bucket/copied'],
  ['GET', '/bucket/appended'],
  ['GET', '/bucket/joined'],
  ['GET', '/bucket/renamed'],
];

async function furnish({ storage }: Stage, contentType: string): Promise<void> {
  const asAlice = storage.as(alice);
  const at = (key: string) => ({ bucket: 'bucket', key });
  await asAlice.putObject({ ...at('page'), body: PAGE, contentType });
  await asAlice.copyObject({ ...at('copied'), source: at('page') });
  await asAlice.copyObject({ ...at('moving'), source: at('page') });
  await asAlice.renameObject({ ...at('renamed'), from: 'moving' });
  await asAlice.appendObject({ ...at('appended'), body: PAGE, contentType });
  const { uploadId } = await asAlice.initiateMultipartUpload({ ...at('joined'), contentType });
  const { etag: eTag } = await asAlice.uploadPart({
    ...at('joined'),
    uploadId,
    partNumber: 1,
    body: PAGE,
  });
  await asAlice.completeMultipartUpload({
    ...at('joined'),
    uploadId,
    parts: [{ partNumber: 1, eTag }],
  });
}

const policyOf = (answer: Answer) => [
  headerOf(answer, 'x-content-type-options'),
  headerOf(answer, 'content-security-policy'),
];
const SANDBOXED = ['nosniff', "default-src 'none'; style-src 'unsafe-inline'; sandbox"];

for (const [name, carrier, onDisk] of IN_MEMORY) {
  for (const trustedContent of [false, true]) {
    const what = trustedContent
      ? 'with trustedContent no policy is added'
      : 'stored bytes are sandboxed';
    test(`${name}: ${what}, whatever their type and however they are requested`, async (t) => {
      const on = await stage(t, carrier, onDisk, { trustedContent });
      await on.storage.putBucketAcl({ bucket: 'bucket', acl: 'public-read' });
      for (const type of ACTIVE) {
        await furnish(on, type);
        for (const [method, path, sent] of WAYS) {
          const answer = await on.send(method, path, sent);
          t.true(answer.status === 200 || answer.status === 206, `${method} ${path}`);
          const expected = trustedContent ? ['nosniff', undefined] : SANDBOXED;
          t.deepEqual(policyOf(answer), expected, `${method} ${path} as ${type}`);
          if (!path.includes('response')) t.is(headerOf(answer, 'content-type'), type);
        }
      }
      await on.seal();
    });
  }

  test(`${name}: text from users is returned only in JSON, which no browser treats as a page`, async (t) => {
    const on = await stage(t, carrier, onDisk);
    const key = encodeURIComponent('<img src=x onerror=alert(1)>');
    const answers = [
      await on.send('PUT', `/bucket/${key}`, { body: 'x' }),
      await on.send('POST', `/bucket/${key}?uploads`),
      await on.send('GET', `/bucket?prefix=${key}`),
      await on.send('GET', '/bucket?uploads'),
      await on.send('GET', `/bucket/none${key}`),
      await on.send('GET', `/${key}`),
      await on.send('GET', `/bucket/${key}?maxKeys=${key}&partNumber=${key}&uploadId=${key}`),
      await on.send('GET', `/bucket/${key}?responseContentType=a&responseContentType=${key}`),
      await on.send('PUT', `/bucket/${key}?acl`, { headers: { 'x-svc-acl': '<script>' } }),
      await on.send('GET', `/bucket/${key}`, { headers: { range: 'bytes=<script>' } }),
      await on.send('POST', '/bucket?delete', { body: `{"objects":[{"key":"<script>"}]}` }),
      await on.send('<PATCH>'.replace(/[<>]/g, ''), `/bucket/${key}`, { body: '<script>' }),
    ];
    for (const answer of answers.slice(1)) {
      t.is(headerOf(answer, 'content-type'), 'application/json; charset=utf-8');
      t.is(headerOf(answer, 'x-content-type-options'), 'nosniff');
    }
    await on.seal();
  });

  test(`${name}: forged X-Forwarded headers change neither the bucket nor the caller nor the location`, async (t) => {
    const on = await stage(t, carrier, onDisk);
    const forged = {
      'x-forwarded-host': `vault.${BASE_HOST}`,
      'x-forwarded-proto': 'javascript',
      'x-forwarded-prefix': '/vault',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-user': 'bob',
      'x-real-ip': '127.0.0.1',
      'x-original-url': '/vault/secret',
      'x-rewrite-url': '/vault/secret',
      forwarded: `host=vault.${BASE_HOST};proto=https`,
      'x-http-method-override': 'DELETE',
    };
    await on.storage.putObject({ bucket: 'bucket', key: 'secret', body: 'not the vault' });
    const host = `bucket.${BASE_HOST}`;
    for (const headers of [forged, { ...forged, host }]) {
      const path = headers === forged ? '/bucket/secret' : '/secret';
      t.is((await on.send('GET', path, { headers })).body.toString(), 'not the vault');
      t.is((await on.send('GET', '/vault/secret', { headers: forged, as: '' })).status, 403);
    }
    const asAlice = on.storage.as(alice);
    const at = { bucket: 'bucket', key: 'joined' };
    const { uploadId } = await asAlice.initiateMultipartUpload(at);
    const { etag: eTag } = await asAlice.uploadPart({ ...at, uploadId, partNumber: 1, body: 'x' });
    const body = JSON.stringify({ parts: [{ partNumber: 1, eTag }] });
    const path = `/bucket/joined?uploadId=${uploadId}`;
    const joined = await on.send('POST', path, { headers: forged, body });
    t.is(JSON.parse(joined.body.toString()).location, `${on.origin}/bucket/joined`);
    await on.seal();
  });

  test(`${name}: onError gets no credentials, and the client gets no cause`, async (t) => {
    const reported: unknown[] = [];
    const blobs = {
      ...delegate(memoryBlobs()),
      async write(): Promise<never> {
        throw new Error('EIO: i/o error, open /srv/data/node_modules/secret-path');
      },
    };
    const onError = (...about: unknown[]) => reported.push(about);
    const storage = await createObjectStorage({
      blobs,
      metadata: memoryMetadata(),
      sweepEvery: false,
    });
    const running = await listen(carriers[carrier](storage, { onError }));
    t.teardown(running.close);
    await storage.as(alice).putBucket({ bucket: 'bucket' });
    const headers = {
      cookie: 'session=hush',
      'x-api-key': 'hush',
      'proxy-authorization': 'Basic hush',
    };
    const sent = { headers, body: 'x'.repeat(200_000) };
    const answer = await call(running.origin, 'PUT', '/bucket/key', sent);
    t.is(answer.status, 500);
    const { requestId, ...shown } = JSON.parse(answer.text);
    const message =
      'An internal error occurred in the storage. A change may or may not have been made.';
    t.deepEqual(shown, { code: 'InternalError', message });
    t.is(reported.length, 1);
    const text = inspect(reported, { depth: 20, showHidden: true });
    t.true(text.includes('secret-path') && text.includes(requestId) && text.includes('PutObject'));
    t.false(/hush|Bearer/.test(text), text);
  });
}
