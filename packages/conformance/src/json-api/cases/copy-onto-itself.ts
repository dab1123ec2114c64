import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import { append, copy, MIN_PART, md5, upload } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

const REPLACE = { 'x-svc-metadata-directive': 'replace' };

/** How metadata is updated: a chapter of CopyObject. */
export const cases: readonly HttpRule[] = [
  {
    id: 'copy-itself',
    name: 'copying an object onto itself with replace updates its metadata; its bytes stay',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      for (const data of [Buffer.alloc(0), Buffer.from('small'), bytes(100_000)]) {
        const stored = { 'x-svc-meta-a': '1', 'content-type': 'text/plain', 'cache-control': 'x' };
        (await storage.put(path, data, stored)).is(200);
        const given = { ...REPLACE, 'x-svc-meta-b': '2', 'content-type': 'image/png' };
        const answer = (await copy(storage, path, path, given)).is(200);
        assert.equal(answer.json.ETag, md5(data));
        const found = (await storage.get(path)).is(200);
        assert.ok(found.body.equals(data));
        assert.equal(found.header('etag'), `"${md5(data)}"`);
        assert.equal(found.header('x-svc-meta-a'), undefined);
        assert.equal(found.header('x-svc-meta-b'), '2');
        assert.equal(found.header('content-type'), 'image/png');
        assert.equal(found.header('cache-control'), 'private, no-transform');
      }
    },
  },
  {
    id: 'copy-itself-unchanged',
    name: 'copying an object onto itself without a change is 400 InvalidArgument',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      (await storage.put(path, 'x', { 'x-svc-meta-a': '1' })).is(200);
      for (const headers of [{}, { 'x-svc-metadata-directive': 'copy', 'x-svc-meta-a': '2' }]) {
        for (const source of [path, path.slice(1)]) {
          (await copy(storage, source, path, headers)).fails(400, 'InvalidArgument');
        }
      }
      assert.equal((await storage.head(path)).header('x-svc-meta-a'), '1');
      (await copy(storage, path, path, { 'x-svc-storage-class': 'COLD' })).is(200);
      const found = (await storage.head(path)).is(200);
      assert.equal(found.header('x-svc-storage-class'), 'COLD');
      assert.equal(found.header('x-svc-meta-a'), '1');
    },
  },
  {
    id: 'copy-itself-conditions',
    name: 'conditions count also for a copy onto itself, and so does that the object exists',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      (await copy(storage, path, path, REPLACE)).fails(404, 'NoSuchKey');
      (await storage.put(path, 'x')).is(200);
      const refused = { ...REPLACE, 'x-svc-copy-source-if-match': md5('y'), 'x-svc-meta-a': '1' };
      (await copy(storage, path, path, refused)).fails(412, 'PreconditionFailed');
      assert.equal((await storage.head(path)).header('x-svc-meta-a'), undefined);
      const held = { ...refused, 'x-svc-copy-source-if-match': md5('x') };
      (await copy(storage, path, path, held)).is(200);
      assert.equal((await storage.head(path)).header('x-svc-meta-a'), '1');
    },
  },
  {
    id: 'copy-itself-multipart',
    name: 'an object of several parts keeps its bytes and ETag when its metadata is updated',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const bodies = [bytes(MIN_PART), bytes(MIN_PART), Buffer.from('x')];
      const { eTag } = (await upload(storage, path, bodies)).json;
      (await copy(storage, path, path, { ...REPLACE, 'x-svc-meta-a': '1' })).is(200);
      const found = (await storage.get(path)).is(200);
      assert.ok(found.body.equals(Buffer.concat(bodies)));
      assert.equal(found.header('etag'), `"${eTag}"`);
      assert.equal(found.header('x-svc-meta-a'), '1');
    },
  },
  {
    id: 'copy-itself-appendable',
    name: 'an appendable object copied onto itself with replace stays appendable',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      (await append(storage, path, 'one', undefined, { 'x-svc-meta-a': '1' })).is(200);
      (await copy(storage, path, path, { ...REPLACE, 'x-svc-meta-b': '2' })).is(200);
      const head = (await storage.head(path)).is(200);
      assert.equal(head.header('x-svc-object-type'), 'Appendable');
      assert.equal(head.header('x-svc-next-append-offset'), '3');
      const answer = (await append(storage, path, 'two', 3)).is(200);
      assert.equal(answer.header('etag'), `"${md5('onetwo')}"`);
      const found = (await storage.get(path)).is(200);
      assert.equal(found.text, 'onetwo');
      assert.equal(found.header('x-svc-meta-a'), undefined);
      assert.equal(found.header('x-svc-meta-b'), '2');
    },
  },
];
