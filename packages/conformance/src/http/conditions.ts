import assert from 'node:assert/strict';
import type { Answer } from './answer.js';
import type { StorageClient } from './client.js';
import type { HttpRule } from './rule.js';

const OTHER = '"00000000000000000000000000000000"';

interface Stored {
  readonly path: string;
  readonly etag: string;
  readonly modified: string;
  readonly before: string;
  readonly after: string;
}

async function store(storage: StorageClient): Promise<Stored> {
  const path = `/${await storage.newBucket()}/key`;
  (await storage.put(path, '0123456789')).is(200);
  const head = (await storage.head(path)).is(200);
  const [etag, modified] = [head.header('etag') ?? '', head.header('last-modified') ?? ''];
  const shifted = (seconds: number) =>
    new Date(Date.parse(modified) + seconds * 1000).toUTCString();
  return { path, etag, modified, before: shifted(-1), after: shifted(1) };
}

type Conditions = Readonly<Record<string, string>>;

/** GET and HEAD judge alike. */
async function expect(
  storage: StorageClient,
  path: string,
  headers: Conditions,
  status: 200 | 304 | 412,
): Promise<Answer> {
  const [get, head] = [await storage.get(path, headers), await storage.head(path, headers)];
  const shown = JSON.stringify(headers);
  assert.equal(get.status, status, `GET ${shown}`);
  assert.equal(head.status, status, `HEAD ${shown}`);
  assert.equal(head.body.length, 0);
  if (status === 412) get.fails(412, 'PreconditionFailed');
  if (status === 304) assert.equal(get.body.length, 0);
  if (status === 200) assert.equal(get.text, '0123456789');
  return get;
}

export const cases: readonly HttpRule[] = [
  {
    id: 'condition-if-match',
    name: 'If-Match that does not name the ETag is 412; quotes, lists and * are understood',
    async prove(storage) {
      const { path, etag } = await store(storage);
      const bare = etag.replaceAll('"', '');
      for (const value of [etag, bare, '*', `${OTHER}, ${etag}`, `${OTHER},${bare}`]) {
        await expect(storage, path, { 'if-match': value }, 200);
      }
      for (const value of [OTHER, bare.slice(1), `${OTHER}, ${OTHER}`, `W/${etag}`, '"*"']) {
        await expect(storage, path, { 'if-match': value }, 412);
      }
    },
  },
  {
    id: 'condition-if-none-match',
    name: 'If-None-Match that names the ETag is 304 without a body and with the ETag',
    async prove(storage) {
      const { path, etag } = await store(storage);
      const bare = etag.replaceAll('"', '');
      for (const value of [etag, bare, '*', `${OTHER}, ${etag}`, `W/${etag}`]) {
        const answer = await expect(storage, path, { 'if-none-match': value }, 304);
        assert.equal(answer.header('etag'), etag);
        assert.ok(answer.header('x-svc-request-id'));
        assert.equal(answer.header('content-type'), undefined);
      }
      for (const value of [OTHER, `${OTHER}, W/${OTHER}`]) {
        await expect(storage, path, { 'if-none-match': value }, 200);
      }
    },
  },
  {
    id: 'condition-if-modified-since',
    name: 'If-Modified-Since with a time at or after the last change is 304',
    async prove(storage) {
      const { path, modified, before, after } = await store(storage);
      await expect(storage, path, { 'if-modified-since': before }, 200);
      await expect(storage, path, { 'if-modified-since': modified }, 304);
      await expect(storage, path, { 'if-modified-since': after }, 304);
    },
  },
  {
    id: 'condition-if-unmodified-since',
    name: 'If-Unmodified-Since with a time before the last change is 412',
    async prove(storage) {
      const { path, modified, before, after } = await store(storage);
      await expect(storage, path, { 'if-unmodified-since': before }, 412);
      await expect(storage, path, { 'if-unmodified-since': modified }, 200);
      await expect(storage, path, { 'if-unmodified-since': after }, 200);
    },
  },
  {
    id: 'condition-dates',
    name: 'dates may have the three forms of HTTP; what is no date counts as absent',
    async prove(storage) {
      const { path } = await store(storage);
      const old = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT'];
      for (const value of [...old, 'Sun Nov  6 08:49:37 1994']) {
        await expect(storage, path, { 'if-unmodified-since': value }, 412);
        await expect(storage, path, { 'if-modified-since': value }, 200);
      }
      for (const value of ['yesterday', '0', '2050-01-01T00:00:00Z', '2050', '']) {
        await expect(storage, path, { 'if-modified-since': value }, 200);
        await expect(storage, path, { 'if-unmodified-since': value }, 200);
      }
    },
  },
  {
    id: 'condition-precedence',
    name: 'If-Match goes before If-Unmodified-Since, If-None-Match before If-Modified-Since, 412 before 304',
    async prove(storage) {
      const { path, etag, modified, before, after } = await store(storage);
      const match = { 'if-match': etag };
      const none = { 'if-none-match': etag };
      const rows: readonly (readonly [Conditions, 200 | 304 | 412])[] = [
        [{ ...match, 'if-unmodified-since': before }, 200],
        [{ 'if-match': OTHER, 'if-unmodified-since': after }, 412],
        [{ 'if-none-match': OTHER, 'if-modified-since': after }, 200],
        [{ ...none, 'if-modified-since': before }, 304],
        [{ 'if-match': OTHER, ...none }, 412],
        [{ ...match, ...none }, 304],
        [{ ...match, 'if-modified-since': modified }, 304],
        [{ 'if-unmodified-since': before, ...none }, 412],
        [{ 'if-unmodified-since': after, 'if-modified-since': before }, 200],
      ];
      for (const [headers, status] of rows) await expect(storage, path, headers, status);
    },
  },
  {
    id: 'condition-missing',
    name: 'conditions do not hide that the object does not exist',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const headers of [{ 'if-none-match': '*' }, { 'if-match': '*' }]) {
        (await storage.get(`/${bucket}/no`, headers)).fails(404, 'NoSuchKey');
        (await storage.head(`/${bucket}/no`, headers)).failsBare(404);
      }
    },
  },
  {
    id: 'condition-if-range',
    name: 'If-Range lets a Range count only while the object is the one that was seen',
    async prove(storage) {
      const { path, etag, modified, before } = await store(storage);
      const range = 'bytes=0-1';
      for (const value of [etag, modified]) {
        const answer = (await storage.get(path, { range, 'if-range': value })).is(206);
        assert.equal(answer.text, '01');
      }
      for (const value of [OTHER, before, `W/${etag}`, 'nonsense']) {
        const answer = (await storage.get(path, { range, 'if-range': value })).is(200);
        assert.equal(answer.text, '0123456789');
        assert.equal(answer.header('content-range'), undefined);
      }
      const beyond = await storage.get(path, { range: 'bytes=99-', 'if-range': OTHER });
      assert.equal(beyond.is(200).text, '0123456789');
    },
  },
  {
    id: 'condition-before-range',
    name: 'conditions are judged before the Range',
    async prove(storage) {
      const { path, etag } = await store(storage);
      const range = 'bytes=99-';
      (await storage.get(path, { range, 'if-match': OTHER })).fails(412, 'PreconditionFailed');
      (await storage.get(path, { range, 'if-none-match': etag })).is(304);
    },
  },
];
