import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import { copy, md5, STRANGERS, TIME } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { conditionRows, sourceRows } from '../wire/sources.js';
import { cases as kinds } from './copy-kinds.js';
import { cases as onItself } from './copy-onto-itself.js';

const STORED = {
  'content-type': 'text/plain; charset=utf-8',
  'content-encoding': 'identity',
  'content-language': 'de',
  'content-disposition': 'attachment',
  'cache-control': 'private',
  expires: 'Sat, 01 Jan 2050 00:00:00 GMT',
};

export const cases: readonly HttpRule[] = [
  ...kinds,
  ...onItself,
  {
    id: 'copy-object',
    name: 'CopyObject answers ETag, eTag and lastModified, and the copy is the source byte for byte',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const other = await storage.newBucket();
      for (const size of [0, 1, 65_536, 65_537, 300_000]) {
        const data = bytes(size);
        (await storage.put(`/${bucket}/source`, data)).is(200);
        for (const target of [`/${bucket}/copy`, `/${other}/copy`]) {
          const answer = (await copy(storage, `/${bucket}/source`, target)).is(200);
          assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
          const { lastModified, ...tags } = answer.json;
          assert.deepEqual(tags, { ETag: md5(data), eTag: md5(data) });
          assert.match(lastModified, TIME);
          const found = (await storage.get(target)).is(200);
          assert.ok(found.body.equals(data));
          assert.equal(found.header('etag'), `"${md5(data)}"`);
          const changed = Date.parse(found.header('last-modified') ?? '');
          assert.equal(changed, Date.parse(lastModified));
          const source = (await storage.head(`/${bucket}/source`)).is(200);
          for (const name of ['content-md5', 'x-svc-content-crc32']) {
            assert.equal(found.header(name), source.header(name));
          }
        }
      }
    },
  },
  {
    id: 'copy-default',
    name: 'by default metadata and headers come from the source; x-svc-meta-* of the request do not count',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const stored = { ...STORED, 'x-svc-meta-a': 'source' };
      (await storage.put(`/${bucket}/source`, 'x', stored)).is(200);
      for (const directive of [undefined, 'copy', 'COPY', 'Copy']) {
        const headers = {
          'content-type': 'image/png',
          'cache-control': 'no-store',
          'x-svc-meta-a': 'request',
          'x-svc-meta-b': 'request',
          ...(directive === undefined ? {} : { 'x-svc-metadata-directive': directive }),
        };
        (await copy(storage, `/${bucket}/source`, `/${bucket}/copy`, headers)).is(200);
        const found = (await storage.head(`/${bucket}/copy`)).is(200);
        for (const [name, value] of Object.entries(stored)) {
          assert.equal(found.header(name), value, name);
        }
        assert.equal(found.header('x-svc-meta-b'), undefined);
      }
    },
  },
  {
    id: 'copy-replace',
    name: 'with the directive replace metadata and headers come from the request alone',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const stored = { ...STORED, 'x-svc-meta-a': 'source', 'x-svc-meta-b': 'source' };
      (await storage.put(`/${bucket}/source`, 'x', stored)).is(200);
      for (const directive of ['replace', 'REPLACE', 'Replace']) {
        const headers = { 'x-svc-metadata-directive': directive, 'x-svc-meta-B': 'request' };
        (await copy(storage, `/${bucket}/source`, `/${bucket}/copy`, headers)).is(200);
        const found = (await storage.get(`/${bucket}/copy`)).is(200);
        assert.equal(found.text, 'x');
        assert.equal(found.header('x-svc-meta-a'), undefined);
        assert.equal(found.header('x-svc-meta-b'), 'request');
        assert.equal(found.header('content-type'), 'application/octet-stream');
        assert.equal(found.header('cache-control'), 'private, no-transform');
      }
      const source = (await storage.head(`/${bucket}/source`)).is(200);
      assert.equal(source.header('x-svc-meta-a'), 'source');
    },
  },
  {
    id: 'copy-directive',
    name: 'any other directive is 400 InvalidArgument, and nothing is copied',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/source`, 'x')).is(200);
      for (const directive of ['move', 'copy,replace', 'true', '__proto__']) {
        const headers = { 'x-svc-metadata-directive': directive };
        const answer = await copy(storage, `/${bucket}/source`, `/${bucket}/copy`, headers);
        answer.fails(400, 'InvalidArgument');
      }
      (await storage.head(`/${bucket}/copy`)).failsBare(404);
    },
  },
  {
    id: 'copy-storage-class',
    name: 'a copy has the storage class of the request, else that of its bucket',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/source`, 'x')).is(200);
      const cold = { 'x-svc-storage-class': 'COLD' };
      (await copy(storage, `/${bucket}/source`, `/${bucket}/cold`, cold)).is(200);
      assert.equal((await storage.head(`/${bucket}/cold`)).header('x-svc-storage-class'), 'COLD');
      (await copy(storage, `/${bucket}/cold`, `/${bucket}/copy`)).is(200);
      const found = (await storage.head(`/${bucket}/copy`)).is(200);
      assert.equal(found.header('x-svc-storage-class'), 'STANDARD');
      const bad = { 'x-svc-storage-class': 'none' };
      const answer = await copy(storage, `/${bucket}/source`, `/${bucket}/copy`, bad);
      answer.fails(400, 'InvalidArgument');
    },
  },
  {
    id: 'copy-conditions',
    name: 'an object is copied only if the conditions on the source hold; else 412 and no copy',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/source`, '0123456789')).is(200);
      const { met, unmet } = await conditionRows(storage, `/${bucket}/source`);
      for (const row of unmet) {
        const answer = await copy(storage, `/${bucket}/source`, `/${bucket}/copy`, row);
        assert.equal(answer.status, 412, JSON.stringify(row));
        answer.fails(412, 'PreconditionFailed');
      }
      (await storage.head(`/${bucket}/copy`)).failsBare(404);
      for (const row of met) {
        const answer = await copy(storage, `/${bucket}/source`, `/${bucket}/copy`, row);
        assert.equal(answer.status, 200, JSON.stringify(row));
      }
    },
  },
  {
    id: 'copy-source-forms',
    name: 'the source is /<bucket>/<key>, percent-encoded, its first slash optional',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const { good, bad } = await sourceRows(storage, bucket);
      for (const [source, key] of good) {
        (await copy(storage, source, `/${bucket}/copy`)).is(200);
        assert.equal((await storage.get(`/${bucket}/copy`)).text, `bytes of ${key}`, source);
      }
      for (const [source, status, code] of bad) {
        const answer = await copy(storage, source, `/${bucket}/copy`);
        assert.equal(answer.status, status, source);
        answer.fails(status, code);
      }
      (await copy(storage, `/${bucket}/plain`, `/${storage.newName()}/copy`)).fails(
        404,
        'NoSuchBucket',
      );
    },
  },
  {
    id: 'copy-foreign-source',
    name: 'the caller needs read permission on the source: another owner’s is 403',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const theirs = storage.newName();
      (await storage.send({ method: 'PUT', path: `/${theirs}`, as: 'bob' })).is(200);
      const secret = { method: 'PUT', path: `/${theirs}/secret`, as: 'bob', body: 'x' } as const;
      (await storage.send(secret)).is(200);
      for (const key of ['secret', 'missing']) {
        const answer = await copy(storage, `/${theirs}/${key}`, `/${bucket}/copy`);
        answer.fails(403, 'AccessDenied');
      }
      (await storage.head(`/${bucket}/copy`)).failsBare(404);
    },
  },
  {
    id: 'copy-access',
    name: 'a stranger or nobody can copy neither into nor out of a bucket: 403',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/source`, 'x')).is(200);
      const theirs = storage.newName();
      (await storage.send({ method: 'PUT', path: `/${theirs}`, as: 'bob' })).is(200);
      const headers = { 'x-svc-copy-source': `/${bucket}/source` };
      for (const as of STRANGERS) {
        for (const path of [`/${bucket}/copy`, `/${bucket}/source`, `/${theirs}/copy`]) {
          (await storage.send({ method: 'PUT', path, as, headers })).fails(403, 'AccessDenied');
        }
      }
      (await storage.head(`/${bucket}/copy`)).failsBare(404);
    },
  },
];
