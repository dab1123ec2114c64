import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import { copy, md5, TIME } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { misspelledRows, sourceRows } from '../wire/sources.js';

const STORED = {
  'content-type': 'text/plain; charset=utf-8',
  'content-encoding': 'identity',
  'content-language': 'de',
  'content-disposition': 'attachment',
  'cache-control': 'private',
  expires: 'Sat, 01 Jan 2050 00:00:00 GMT',
};

export const cases: readonly HttpRule[] = [
  {
    id: 'json-copy-object',
    name: 'CopyObject returns ETag, eTag and lastModified, and the copy equals the source byte for byte',
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
    id: 'json-copy-default',
    name: 'by default, metadata and headers come from the source; x-svc-meta-* of the request are ignored',
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
    id: 'copy-source-forms',
    name: 'the source is /<bucket>/<key>, percent-encoded, with an optional first slash',
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
    id: 'json-copy-conditions',
    name: 'the conditions on a source have both spellings of the interface',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const source = `/${bucket}/source`;
      (await storage.put(source, '0123456789')).is(200);
      for (const [headers, status] of await misspelledRows(storage, source)) {
        const answer = await copy(storage, source, `/${bucket}/copy`, headers);
        assert.equal(answer.status, status, JSON.stringify(headers));
      }
    },
  },
  {
    id: 'json-copy-itself-unchanged',
    name: 'a copy onto itself is recognized with and without the first slash of its source',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      (await storage.put(path, 'x')).is(200);
      for (const source of [path, path.slice(1)]) {
        (await copy(storage, source, path)).fails(400, 'InvalidArgument');
      }
    },
  },
];
