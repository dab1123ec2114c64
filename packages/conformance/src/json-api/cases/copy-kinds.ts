import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import { append, copy, etagOf, MIN_PART, md5, upload } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

/** Objects of every kind as source and target: a chapter of CopyObject. */
export const cases: readonly HttpRule[] = [
  {
    id: 'copy-multipart',
    name: 'a source of several parts is copied with its ETag, still without Content-MD5',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const bodies = Array.from({ length: 70 }, (_, at) => Buffer.alloc(MIN_PART + at, at));
      const { eTag } = (await upload(storage, `/${bucket}/source`, bodies)).json;
      const answer = (await copy(storage, `/${bucket}/source`, `/${bucket}/copy`)).is(200);
      (await storage.delete(`/${bucket}/source`)).is(204);
      const found = (await storage.get(`/${bucket}/copy`)).is(200);
      assert.ok(found.body.equals(Buffer.concat(bodies)));
      assert.equal(answer.json.ETag, eTag);
      assert.equal(etagOf(found), eTag);
      assert.equal(found.header('content-md5'), undefined);
    },
  },
  {
    id: 'copy-appendable',
    name: 'a copy of an appendable object is Normal, and later appends do not reach it',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const [log, target] = [`/${bucket}/log`, `/${bucket}/copy`];
      const first = Buffer.alloc(70_000, 'a');
      (await append(storage, log, first, undefined, { 'x-svc-meta-a': '1' })).is(200);
      (await copy(storage, log, target)).is(200);
      (await append(storage, log, 'more', first.length)).is(200);
      const found = (await storage.get(target)).is(200);
      assert.ok(found.body.equals(first));
      assert.equal(found.header('etag'), `"${md5(first)}"`);
      assert.equal(found.header('x-svc-meta-a'), '1');
      const head = (await storage.head(target)).is(200);
      assert.equal(head.header('x-svc-object-type'), undefined);
      assert.equal(head.header('x-svc-next-append-offset'), undefined);
      (await append(storage, target, 'x', first.length)).fails(403, 'ObjectUnappendable');
      const whole = Buffer.concat([first, Buffer.from('more')]);
      assert.ok((await storage.get(log)).is(200).body.equals(whole));
    },
  },
  {
    id: 'copy-independent',
    name: 'source and copy are independent: replacing or deleting one leaves the other',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const data = bytes(100_000);
      (await storage.put(`/${bucket}/a`, data)).is(200);
      (await copy(storage, `/${bucket}/a`, `/${bucket}/b`)).is(200);
      (await copy(storage, `/${bucket}/b`, `/${bucket}/c`)).is(200);
      (await storage.delete(`/${bucket}/a`)).is(204);
      (await storage.put(`/${bucket}/b`, 'replaced')).is(200);
      assert.ok((await storage.get(`/${bucket}/c`)).is(200).body.equals(data));
    },
  },
  {
    id: 'copy-overwrites',
    name: 'a copy replaces whatever has its name; a copy that fails leaves it',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/source`, bytes(70_000))).is(200);
      (await append(storage, `/${bucket}/copy`, 'old')).is(200);
      (await copy(storage, `/${bucket}/missing`, `/${bucket}/copy`)).fails(404, 'NoSuchKey');
      assert.equal((await storage.get(`/${bucket}/copy`)).text, 'old');
      (await copy(storage, `/${bucket}/source`, `/${bucket}/copy`)).is(200);
      const found = (await storage.get(`/${bucket}/copy`)).is(200);
      assert.ok(found.body.equals(bytes(70_000)));
      assert.equal((await storage.head(`/${bucket}/copy`)).header('x-svc-object-type'), undefined);
    },
  },
];
