import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { bytes } from '../../actions/tools.js';
import type { Answer } from '../wire/client.js';
import { append, base64, md5, STRANGERS } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { cases as offsets } from './append-offsets.js';

/** What every append answers of the whole object. */
function answers(answer: Answer, whole: Uint8Array): void {
  answer.is(200);
  assert.equal(answer.body.length, 0);
  assert.equal(answer.header('content-length'), '0');
  assert.equal(answer.header('etag'), `"${md5(whole)}"`);
  assert.equal(answer.header('content-md5'), base64(md5(whole)));
  assert.equal(answer.header('x-svc-next-append-offset'), String(whole.length));
  assert.equal(answer.header('x-svc-content-crc32'), String(crc32(whole)));
  assert.ok(answer.header('x-svc-request-id'));
}

export const cases: readonly HttpRule[] = [
  ...offsets,
  {
    id: 'append-create',
    name: 'AppendObject without offset creates an appendable object',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const [key, flag] of [
        ['a', '?append'],
        ['b', '?append='],
      ]) {
        const path = `/${bucket}/${key}`;
        const data = Buffer.from('123456789');
        answers(await storage.send({ method: 'POST', path: path + flag, body: data }), data);
        const head = (await storage.head(path)).is(200);
        assert.equal(head.header('x-svc-object-type'), 'Appendable');
        assert.equal(head.header('x-svc-next-append-offset'), '9');
        assert.equal(head.header('content-length'), '9');
        assert.equal(head.header('content-md5'), base64(md5(data)));
        assert.equal(head.header('etag'), `"${md5(data)}"`);
        assert.equal((await storage.get(path)).is(200).text, '123456789');
      }
    },
  },
  {
    id: 'append-grows',
    name: 'each append answers ETag, MD5, crc32 and next offset of the whole object',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      const MB = 1024 * 1024;
      const pieces = [1, 65_536, MB - 1, MB, MB + 1, 0, 3 * MB, 1, 65_537].map((size) =>
        bytes(size),
      );
      let whole = Buffer.alloc(0);
      for (const piece of pieces) {
        const offset = whole.length === 0 ? undefined : whole.length;
        whole = Buffer.concat([whole, piece]);
        answers(await append(storage, path, piece, offset), whole);
        assert.equal((await storage.head(path)).header('etag'), `"${md5(whole)}"`);
      }
      assert.ok((await storage.get(path)).is(200).body.equals(whole));
      const range = `bytes=${MB - 5}-${2 * MB + 70_000}`;
      const middle = (await storage.get(path, { range })).is(206).body;
      assert.ok(middle.equals(whole.subarray(MB - 5, 2 * MB + 70_001)));
    },
  },
  {
    id: 'append-many',
    name: 'an object of many appends comes back whole, small and large ones mixed',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      let whole = Buffer.from('begin');
      answers(await append(storage, path, whole), whole);
      for (let at = 0; at < 70; at++) {
        const piece = at % 10 === 9 ? Buffer.alloc(1_100_000, at) : Buffer.from(`line ${at}\n`);
        const next = Buffer.concat([whole, piece]);
        answers(await append(storage, path, piece, whole.length), next);
        whole = next;
      }
      assert.ok((await storage.get(path)).is(200).body.equals(whole));
    },
  },
  {
    id: 'append-chunked',
    name: 'the data of an append may come chunked',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      const headers = { 'transfer-encoding': 'chunked' };
      const first = [bytes(70_000), bytes(3)];
      answers(await append(storage, path, first, undefined, headers), Buffer.concat(first));
      const second = [bytes(1), bytes(1_200_000)];
      const whole = Buffer.concat([...first, ...second]);
      answers(await append(storage, path, second, 70_003, headers), whole);
      answers(await append(storage, path, [], whole.length, headers), whole);
      assert.ok((await storage.get(path)).is(200).body.equals(whole));
    },
  },
  {
    id: 'append-overwrites',
    name: 'without offset an object of any type is overwritten, not appended to',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      (await storage.put(path, bytes(70_000), { 'x-svc-meta-a': 'put' })).is(200);
      answers(
        await append(storage, path, 'one', undefined, { 'x-svc-meta-b': '1' }),
        Buffer.from('one'),
      );
      answers(
        await append(storage, path, 'two', undefined, { 'x-svc-meta-c': '2' }),
        Buffer.from('two'),
      );
      const found = (await storage.get(path)).is(200);
      assert.equal(found.text, 'two');
      const metadata = ['a', 'b', 'c'].map((name) => found.header(`x-svc-meta-${name}`));
      assert.deepEqual(metadata, [undefined, undefined, '2']);
      const head = (await storage.head(path)).is(200);
      assert.equal(head.header('x-svc-object-type'), 'Appendable');
      assert.equal((await storage.get(`/${bucket}`)).json.contents.length, 1);
    },
  },
  {
    id: 'append-empty',
    name: 'an object of zero bytes may be created, overwritten and appended to',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      answers(await append(storage, path, ''), Buffer.alloc(0));
      answers(await append(storage, path, ''), Buffer.alloc(0));
      assert.equal((await storage.head(path)).header('x-svc-next-append-offset'), '0');
      assert.equal((await storage.get(path)).is(200).body.length, 0);
      answers(await append(storage, path, '', 0), Buffer.alloc(0));
      answers(await append(storage, path, 'x', 0), Buffer.from('x'));
      answers(await append(storage, path, ''), Buffer.alloc(0));
    },
  },
  {
    id: 'append-nothing',
    name: 'an append of no bytes at the right offset changes nothing of the object',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      (await append(storage, path, 'some', undefined, { 'x-svc-meta-a': '1' })).is(200);
      const before = (await storage.head(path)).is(200);
      answers(await append(storage, path, '', 4, { 'x-svc-meta-a': '2' }), Buffer.from('some'));
      const after = (await storage.head(path)).is(200);
      for (const name of ['etag', 'last-modified', 'x-svc-meta-a', 'x-svc-next-append-offset']) {
        assert.equal(after.header(name), before.header(name), name);
      }
    },
  },
  {
    id: 'append-metadata',
    name: 'headers and metadata are stored only at the first call, and ignored later',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      const first = {
        'x-svc-meta-a': 'first',
        'content-type': 'text/x-log',
        'cache-control': 'private',
        'content-disposition': 'inline',
        expires: 'Sat, 01 Jan 2050 00:00:00 GMT',
        'x-svc-storage-class': 'STANDARD_IA',
      };
      (await append(storage, path, 'one', undefined, first)).is(200);
      const later = {
        'x-svc-meta-a': 'later',
        'x-svc-meta-b': 'later',
        'content-type': 'text/plain',
        'cache-control': 'no-store',
        'content-encoding': 'identity',
        'x-svc-storage-class': 'COLD',
      };
      (await append(storage, path, 'two', 3, later)).is(200);
      const found = (await storage.get(path)).is(200);
      for (const [name, value] of Object.entries(first)) {
        assert.equal(found.header(name), value, name);
      }
      assert.equal(found.header('x-svc-meta-b'), undefined);
      assert.equal(found.header('content-encoding'), undefined);
    },
  },
  {
    id: 'append-archive',
    name: 'an appendable object can not be of the class ARCHIVE',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      for (const value of ['ARCHIVE', 'archive', 'none']) {
        const answer = await append(storage, path, 'x', undefined, {
          'x-svc-storage-class': value,
        });
        answer.fails(400, 'InvalidArgument');
      }
      (await storage.head(path)).failsBare(404);
    },
  },
  {
    id: 'append-put-object',
    name: 'PutObject makes an appendable object Normal: it loses its type and its offset',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      (await append(storage, path, 'one')).is(200);
      (await storage.put(path, 'two')).is(200);
      for (const answer of [await storage.head(path), await storage.get(path)]) {
        answer.is(200);
        assert.equal(answer.header('x-svc-object-type'), undefined);
        assert.equal(answer.header('x-svc-next-append-offset'), undefined);
      }
      (await append(storage, path, 'x', 3)).fails(403, 'ObjectUnappendable');
      assert.equal((await storage.get(path)).text, 'two');
    },
  },
  {
    id: 'append-delete',
    name: 'an appendable object that was deleted is gone, and begins anew',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      (await append(storage, path, 'one')).is(200);
      (await storage.delete(path)).is(204);
      (await append(storage, path, 'two', 3)).fails(404, 'NoSuchKey');
      answers(await append(storage, path, 'new'), Buffer.from('new'));
    },
  },
  {
    id: 'append-refused',
    name: 'a missing bucket is NoSuchBucket; a stranger or nobody gets 403 and appends nothing',
    async prove(storage) {
      (await append(storage, `/${storage.newName()}/log`, 'x')).fails(404, 'NoSuchBucket');
      const path = `/${await storage.newBucket()}/log`;
      (await append(storage, path, 'mine')).is(200);
      for (const as of STRANGERS) {
        for (const query of ['?append', '?append&offset=4', '?append&offset=1']) {
          const target = path + query;
          const answer = await storage.send({ method: 'POST', path: target, as, body: 'stolen' });
          answer.fails(403, 'AccessDenied');
        }
      }
      assert.equal((await storage.get(path)).text, 'mine');
    },
  },
];
