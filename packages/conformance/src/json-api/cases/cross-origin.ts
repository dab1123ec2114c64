import assert from 'node:assert/strict';
import type { Answer, ClientRequest, StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { accessHeaders, bucketWithCors, listIn, putSetting } from '../wire/settings.js';

const ORIGIN = 'https://app.example';
const RULE = {
  allowedOrigins: [ORIGIN],
  allowedMethods: ['GET', 'PUT', 'DELETE', 'POST', 'HEAD'],
  allowedExposeHeaders: ['ETag', 'x-svc-request-id'],
};

/** Requests on a bucket with the object `key`, with every kind of answer. */
const REQUESTS: readonly (ClientRequest & { readonly status: number })[] = [
  { status: 200, method: 'GET', path: '/key' },
  { status: 200, method: 'HEAD', path: '/key' },
  { status: 206, method: 'GET', path: '/key', headers: { range: 'bytes=0-1' } },
  { status: 304, method: 'GET', path: '/key', headers: { 'if-none-match': '*' } },
  { status: 412, method: 'GET', path: '/key', headers: { 'if-match': '"x"' } },
  { status: 416, method: 'GET', path: '/key', headers: { range: 'bytes=99-' } },
  { status: 404, method: 'GET', path: '/absent' },
  { status: 404, method: 'HEAD', path: '/absent' },
  { status: 403, method: 'GET', path: '/key', as: 'anonymous' },
  { status: 403, method: 'HEAD', path: '/key', as: 'bob' },
  { status: 403, method: 'PUT', path: '/key', as: 'bob', body: 'x' },
  { status: 405, method: 'POST', path: '/key' },
  { status: 400, method: 'GET', path: '/%ff' },
  { status: 400, method: 'GET', path: '?maxKeys=x' },
  { status: 501, method: 'GET', path: '/key?tagging' },
  { status: 200, method: 'GET', path: '' },
  { status: 200, method: 'HEAD', path: '' },
  { status: 409, method: 'DELETE', path: '' },
  { status: 409, method: 'PUT', path: '' },
  { status: 200, method: 'PUT', path: '/other', body: 'x' },
  { status: 400, method: 'PUT', path: '/other', body: 'x', headers: { 'content-md5': 'no' } },
  { status: 204, method: 'DELETE', path: '/other' },
  { status: 200, method: 'POST', path: '/key?uploads' },
  { status: 200, method: 'POST', path: '?delete', body: '{"objects":[{"key":"gone"}]}' },
  { status: 400, method: 'PUT', path: '?cors', body: '{' },
  { status: 200, method: 'GET', path: '?cors' },
];

async function prepared(storage: StorageClient, ...rules: readonly object[]): Promise<string> {
  const bucket = await (rules.length > 0 ? bucketWithCors(storage, ...rules) : storage.newBucket());
  (await storage.put(`/${bucket}/key`, 'bytes')).is(200);
  return bucket;
}

/** Sends every request from an origin and hands each answer on. */
async function each(
  storage: StorageClient,
  bucket: string,
  origin: string | undefined,
  check: (answer: Answer, what: string) => void,
  foreign = false,
): Promise<void> {
  for (const { status, path, headers, ...rest } of REQUESTS) {
    const from = origin === undefined ? {} : { origin };
    const all = { ...headers, ...from };
    const answer = await storage.send({ ...rest, path: `/${bucket}${path}`, headers: all });
    const what = `${rest.method} ${path}, ${answer.status} ${answer.text.slice(0, 200)}`;
    const refused = foreign && status !== 405 && !['GET', 'HEAD'].includes(rest.method);
    assert.equal(answer.status, refused ? 403 : status, what);
    check(answer, what);
  }
}

function readable(answer: Answer, what: string): void {
  assert.equal(answer.header('access-control-allow-origin'), ORIGIN, what);
  assert.equal(answer.header('access-control-allow-credentials'), 'true', what);
  const exposed = listIn(answer, 'access-control-expose-headers');
  assert.deepEqual(exposed, ['etag', 'x-svc-request-id'], what);
  assert.ok(listIn(answer, 'vary').includes('origin'), what);
}

function hidden(answer: Answer, what: string): void {
  assert.deepEqual(accessHeaders(answer), [], what);
  assert.ok(listIn(answer, 'vary').includes('origin'), what);
}

export const cases: readonly HttpRule[] = [
  {
    id: 'cross-origin',
    name: 'a page of an allowed origin may read every answer, errors included',
    prove: async (storage) => each(storage, await prepared(storage, RULE), ORIGIN, readable),
  },
  {
    id: 'cross-origin-other',
    name: 'to a page of another origin an answer says nothing of access, and a change is not carried out',
    async prove(storage) {
      const bucket = await prepared(storage, RULE);
      for (const origin of ['https://evil.example', 'https://APP.example', 'null', `${ORIGIN}:1`]) {
        await each(storage, bucket, origin, hidden, true);
      }
      assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'bytes');
      (await storage.head(`/${bucket}/other`)).failsBare(404);
    },
  },
  {
    id: 'cross-origin-none',
    name: 'an answer to a request without Origin says only that it varies by it',
    prove: async (storage) => each(storage, await prepared(storage, RULE), undefined, hidden),
  },
  {
    id: 'cross-origin-no-rules',
    name: 'before any rule is set no answer says anything of origins',
    async prove(storage) {
      const bucket = await prepared(storage);
      const silent = (answer: Answer, what: string) => {
        assert.deepEqual(accessHeaders(answer), [], what);
        assert.ok(!listIn(answer, 'vary').includes('origin'), what);
      };
      for (const { method, path, status } of REQUESTS.slice(0, 2)) {
        const headers = { origin: ORIGIN };
        const answer = await storage.send({ method, path: `/${bucket}${path}`, headers });
        silent(answer.is(status), path);
      }
      (await putSetting(storage, `/${bucket}`, 'cors', { corsConfiguration: [RULE] })).is(200);
      readable((await storage.get(`/${bucket}/key`, { origin: ORIGIN })).is(200), 'with rules');
      (await storage.delete(`/${bucket}?cors`)).is(204);
      silent((await storage.get(`/${bucket}/key`, { origin: ORIGIN })).is(200), 'without again');
    },
  },
  {
    id: 'cross-origin-first-rule',
    name: 'an actual request takes the first rule of its origin and method, whatever its headers',
    async prove(storage) {
      const bucket = await prepared(
        storage,
        { allowedOrigins: [ORIGIN], allowedMethods: ['PUT'], allowedExposeHeaders: ['x-put'] },
        { allowedOrigins: ['https://*'], allowedMethods: ['GET'], allowedExposeHeaders: ['x-get'] },
        { allowedOrigins: ['*'], allowedMethods: ['GET', 'HEAD'] },
      );
      const rows = [
        ['GET', ORIGIN, ORIGIN, 'x-get'],
        ['PUT', ORIGIN, ORIGIN, 'x-put'],
        ['HEAD', ORIGIN, '*', undefined],
        ['GET', 'http://b', '*', undefined],
        ['GET', 'null', '*', undefined],
        ['PUT', 'http://b', undefined, undefined],
        ['DELETE', ORIGIN, undefined, undefined],
      ] as const;
      for (const [method, origin, allowed, exposed] of rows) {
        const headers = { origin, 'x-not-in-any-rule': '1' };
        const path = `/${bucket}/${method === 'DELETE' ? 'absent' : 'key'}`;
        const answer = await storage.send({ method, path, headers });
        assert.equal(answer.header('access-control-allow-origin'), allowed, `${method} ${origin}`);
        assert.equal(answer.header('access-control-expose-headers'), exposed);
      }
    },
  },
  {
    id: 'cross-origin-is-no-access',
    name: 'a rule for every origin lets nobody read what they may not read',
    async prove(storage) {
      const bucket = await prepared(storage, { ...RULE, allowedOrigins: ['*'] });
      for (const as of ['bob', 'anonymous'] as const) {
        const headers = { origin: ORIGIN };
        const path = `/${bucket}/key`;
        const answer = await storage.send({ method: 'GET', path, as, headers });
        answer.fails(403, 'AccessDenied');
        assert.equal(answer.header('access-control-allow-origin'), '*');
        assert.equal(answer.header('access-control-allow-credentials'), undefined);
        assert.equal(answer.header('etag'), undefined);
      }
    },
  },
];
