import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import { pathOf } from '../wire/client.js';
import { append, MIN_PART, md5, rename, STRANGERS, upload } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'rename-object',
    name: 'RenameObject answers 200 without a body; the object has the new key and not the old one',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const data of [Buffer.alloc(0), Buffer.from('small'), bytes(100_000)]) {
        (await storage.put(`/${bucket}/old`, data)).is(200);
        const answer = (await rename(storage, 'old', `/${bucket}/new`)).is(200);
        assert.equal(answer.body.length, 0);
        assert.equal(answer.header('content-length'), '0');
        assert.ok(answer.header('x-svc-request-id'));
        (await storage.head(`/${bucket}/old`)).failsBare(404);
        assert.ok((await storage.get(`/${bucket}/new`)).is(200).body.equals(data));
        const { contents } = (await storage.get(`/${bucket}`)).json;
        assert.deepEqual(
          contents.map(({ key }: { key: string }) => key),
          ['new'],
        );
      }
    },
  },
  {
    id: 'rename-encoded',
    name: 'the old key in x-svc-rename-key is percent-encoded',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const key of ['a/b c', '你好', '100%', 'what?', 'a+b', '/x', '..', '😀'.repeat(255)]) {
        for (const header of [encodeURIComponent(key), pathOf('', key).slice(2)]) {
          (await storage.put(pathOf(bucket, key), key)).is(200);
          (await rename(storage, header, `/${bucket}/new`)).is(200);
          assert.equal((await storage.get(`/${bucket}/new`)).is(200).text, key);
          (await storage.head(pathOf(bucket, key))).failsBare(404);
        }
      }
    },
  },
  {
    id: 'rename-keeps',
    name: 'metadata, headers, ETag, storage class and time stay with the object',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const stored = {
        'x-svc-meta-a': '1',
        'content-type': 'image/png',
        'cache-control': 'private',
        'x-svc-storage-class': 'COLD',
      };
      (await storage.put(`/${bucket}/old`, 'x', stored)).is(200);
      const before = (await storage.head(`/${bucket}/old`)).is(200);
      const path = `/${bucket}/new`;
      const headers = { 'x-svc-rename-key': 'old', 'content-type': 'text/plain' };
      const other = { ...headers, 'x-svc-meta-a': '2' };
      (await storage.send({ method: 'POST', path, headers: other })).fails(400, 'InvalidArgument');
      (await storage.send({ method: 'POST', path, headers })).is(200);
      const after = (await storage.head(`/${bucket}/new`)).is(200);
      for (const name of [...Object.keys(stored), 'etag', 'last-modified', 'content-md5']) {
        assert.equal(after.header(name), before.header(name), name);
      }
    },
  },
  {
    id: 'rename-overwrites',
    name: 'an object that has the new key is replaced',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/old`, 'old')).is(200);
      (await append(storage, `/${bucket}/new`, bytes(70_000))).is(200);
      (await rename(storage, 'old', `/${bucket}/new`)).is(200);
      assert.equal((await storage.get(`/${bucket}/new`)).is(200).text, 'old');
      const head = (await storage.head(`/${bucket}/new`)).is(200);
      assert.equal(head.header('x-svc-object-type'), undefined);
      assert.equal((await storage.get(`/${bucket}`)).json.contents.length, 1);
    },
  },
  {
    id: 'rename-itself',
    name: 'renaming an object to its own key changes nothing',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      (await rename(storage, 'key', path)).fails(404, 'NoSuchKey');
      (await storage.put(path, bytes(70_000), { 'x-svc-meta-a': '1' })).is(200);
      (await rename(storage, 'key', path)).is(200);
      const found = (await storage.get(path)).is(200);
      assert.ok(found.body.equals(bytes(70_000)));
      assert.equal(found.header('x-svc-meta-a'), '1');
    },
  },
  {
    id: 'rename-missing',
    name: 'a source that does not exist is 404 NoSuchKey, and the target stays',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/new`, 'stays')).is(200);
      for (const key of ['missing', `${bucket}/new`, `/${bucket}/new`]) {
        (await rename(storage, key, `/${bucket}/new`)).fails(404, 'NoSuchKey');
      }
      assert.equal((await storage.get(`/${bucket}/new`)).text, 'stays');
      (await rename(storage, 'x', `/${storage.newName()}/new`)).fails(404, 'NoSuchBucket');
    },
  },
  {
    id: 'rename-bad-key',
    name: 'an old key that is no key is refused with 400',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const key of ['%ff', '100%', '%00', 'k'.repeat(1024)]) {
        const answer = await rename(storage, key, `/${bucket}/new`);
        assert.equal(answer.status, 400, key);
        assert.match(answer.json.code, /^Invalid(Argument|ObjectName)$/);
      }
      const bare = await storage.send({ method: 'POST', path: `/${bucket}/new` });
      assert.ok(bare.status === 405 || bare.status === 400, `${bare.status}`);
    },
  },
  {
    id: 'rename-multipart',
    name: 'an object of several parts is renamed as a whole',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const bodies = Array.from({ length: 70 }, (_, at) => Buffer.alloc(MIN_PART, at));
      const { eTag } = (await upload(storage, `/${bucket}/old`, bodies)).json;
      (await rename(storage, 'old', `/${bucket}/new`)).is(200);
      const found = (await storage.get(`/${bucket}/new`)).is(200);
      assert.equal(found.header('etag'), `"${eTag}"`);
      assert.ok(found.body.equals(Buffer.concat(bodies)));
    },
  },
  {
    id: 'rename-appendable',
    name: 'an appendable object stays appendable, and goes on under its new key',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await append(storage, `/${bucket}/old`, 'one')).is(200);
      (await rename(storage, 'old', `/${bucket}/new`)).is(200);
      const head = (await storage.head(`/${bucket}/new`)).is(200);
      assert.equal(head.header('x-svc-object-type'), 'Appendable');
      assert.equal(head.header('x-svc-next-append-offset'), '3');
      (await append(storage, `/${bucket}/old`, 'x', 3)).fails(404, 'NoSuchKey');
      const answer = (await append(storage, `/${bucket}/new`, 'two', 3)).is(200);
      assert.equal(answer.header('etag'), `"${md5('onetwo')}"`);
      assert.equal((await storage.get(`/${bucket}/new`)).text, 'onetwo');
    },
  },
  {
    id: 'rename-access',
    name: 'RenameObject by a stranger or by nobody is 403 and changes nothing',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/old`, 'x')).is(200);
      const headers = { 'x-svc-rename-key': 'old' };
      for (const as of STRANGERS) {
        const answer = await storage.send({ method: 'POST', path: `/${bucket}/new`, as, headers });
        answer.fails(403, 'AccessDenied');
      }
      (await storage.head(`/${bucket}/new`)).failsBare(404);
      assert.equal((await storage.get(`/${bucket}/old`)).text, 'x');
    },
  },
];
