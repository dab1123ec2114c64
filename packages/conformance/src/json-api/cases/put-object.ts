import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { HttpRule } from '../wire/rule.js';

const GB = 1024 ** 3;

/** Bytes of every value, in no order that repeats at a power of two. */
export const bytes = (size: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8) * 17) % 251));

const STORED = {
  'content-type': 'text/plain; charset=utf-8',
  'content-encoding': 'identity',
  'content-language': 'de',
  'content-disposition': 'attachment; filename="a b.txt"',
  'cache-control': 'private, max-age=60',
  expires: 'Sat, 01 Jan 2050 00:00:00 GMT',
};

export const cases: readonly HttpRule[] = [
  {
    id: 'put-object',
    name: 'PutObject answers 200 without a body, with ETag, Content-MD5 and crc32 of the bytes',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const answer = (await storage.put(`/${bucket}/hello`, '123456789')).is(200);
      assert.equal(answer.body.length, 0);
      assert.equal(answer.header('etag'), '"25f9e794323b453885f5181f1b624d0b"');
      assert.equal(answer.header('content-md5'), 'JfnnlDI7RTiF9RgfG2JNCw==');
      assert.equal(answer.header('x-svc-content-crc32'), '3421780262');
      assert.ok(answer.header('x-svc-request-id'));
    },
  },
  {
    id: 'put-object-empty',
    name: 'an object may have 0 bytes',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const answer = (await storage.put(`/${bucket}/empty`, '')).is(200);
      assert.equal(answer.header('etag'), '"d41d8cd98f00b204e9800998ecf8427e"');
      assert.equal(answer.header('content-md5'), '1B2M2Y8AsgTpgAmY7PhCfg==');
      assert.equal(answer.header('x-svc-content-crc32'), '0');
      const found = (await storage.get(`/${bucket}/empty`)).is(200);
      assert.equal(found.header('content-length'), '0');
      assert.equal(found.body.length, 0);
    },
  },
  {
    id: 'put-object-sizes',
    name: 'objects of any size come back byte for byte, around 64 KiB and at 5 MiB',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const size of [1, 65_535, 65_536, 65_537, 5 * 1024 * 1024]) {
        const data = bytes(size);
        const md5 = createHash('md5').update(data).digest('hex');
        const put = (await storage.put(`/${bucket}/${size}`, data)).is(200);
        assert.equal(put.header('etag'), `"${md5}"`);
        assert.equal(put.header('x-svc-content-crc32'), String(crc32(data)));
        const got = (await storage.get(`/${bucket}/${size}`)).is(200);
        assert.equal(got.header('content-length'), String(size));
        assert.ok(got.body.equals(data), `${size} bytes`);
      }
    },
  },
  {
    id: 'put-object-chunked',
    name: 'a chunked body needs no Content-Length',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const parts of [[], [bytes(10)], [bytes(70_000), bytes(1), bytes(90_000)]]) {
        const data = Buffer.concat(parts);
        const chunked = { 'transfer-encoding': 'chunked' };
        (await storage.put(`/${bucket}/chunked`, parts, chunked)).is(200);
        const got = (await storage.get(`/${bucket}/chunked`)).is(200);
        assert.ok(got.body.equals(data));
        assert.equal(got.header('content-length'), String(data.length));
      }
    },
  },
  {
    id: 'put-object-no-length',
    name: 'a body with neither Content-Length nor chunks is 411 MissingContentLength',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const wire = await storage.dial();
      await wire.write(`${storage.opening('PUT', `/${bucket}/key`)}\r\n`);
      const answer = await wire.answer;
      answer?.fails(411, 'MissingContentLength');
      assert.ok(answer);
      (await storage.head(`/${bucket}/key`)).failsBare(404);
    },
  },
  {
    id: 'put-object-too-large',
    name: 'more than 5 GB is 400 EntityTooLarge, before the bytes are sent',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const length of [5 * GB + 1, 999_999_999_999_999]) {
        const wire = await storage.dial();
        const opening = storage.opening('PUT', `/${bucket}/large`);
        await wire.write(`${opening}Content-Length: ${length}\r\n\r\n`);
        const answer = await wire.answer;
        answer?.fails(400, 'EntityTooLarge');
        assert.ok(answer);
      }
      (await storage.head(`/${bucket}/large`)).failsBare(404);
    },
  },
  {
    id: 'put-object-headers',
    name: 'headers given at PutObject time are returned by GetObject and GetObjectMeta',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'x', STORED)).is(200);
      for (const answer of [
        await storage.get(`/${bucket}/key`),
        await storage.head(`/${bucket}/key`),
      ]) {
        answer.is(200);
        for (const [name, value] of Object.entries(STORED)) {
          assert.equal(answer.header(name), value, name);
        }
      }
    },
  },
  {
    id: 'put-object-default-type',
    name: 'without a Content-Type an object is application/octet-stream',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key.html`, '<p>')).is(200);
      const answer = (await storage.get(`/${bucket}/key.html`)).is(200);
      assert.equal(answer.header('content-type'), 'application/octet-stream');
      for (const name of ['content-encoding', 'content-disposition', 'expires']) {
        assert.equal(answer.header(name), undefined, name);
      }
    },
  },
  {
    id: 'put-object-replaces',
    name: 'PutObject replaces the whole object: bytes, headers and metadata',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const first = { ...STORED, 'x-svc-meta-a': '1', 'x-svc-storage-class': 'COLD' };
      (await storage.put(path, bytes(70_000), first)).is(200);
      (await storage.put(path, 'short', { 'x-svc-meta-b': '2' })).is(200);
      const answer = (await storage.get(path)).is(200);
      assert.equal(answer.text, 'short');
      assert.equal(answer.header('content-type'), 'application/octet-stream');
      assert.equal(answer.header('cache-control'), 'private, no-transform');
      assert.equal(answer.header('x-svc-meta-a'), undefined);
      assert.equal(answer.header('x-svc-meta-b'), '2');
      assert.equal(answer.header('x-svc-storage-class'), 'STANDARD');
      const { contents } = (await storage.get(`/${bucket}`)).is(200).json;
      assert.equal(contents.length, 1);
      assert.equal(contents[0].size, 5);
    },
  },
  {
    id: 'put-object-storage-class',
    name: 'a storage class is one of the known ones, in any capitals; any other is InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      for (const value of ['STANDARD', 'STANDARD_IA', 'COLD', 'ARCHIVE', 'MAZ_COLD']) {
        (await storage.put(path, value, { 'x-svc-storage-class': value })).is(200);
        assert.equal((await storage.head(path)).header('x-svc-storage-class'), value);
      }
      (await storage.put(path, 'x', { 'x-svc-storage-class': 'cold' })).is(200);
      assert.equal((await storage.head(path)).header('x-svc-storage-class'), 'COLD');
      for (const value of ['GLACIER', '__proto__', 'constructor']) {
        const answer = await storage.put(path, 'no', { 'x-svc-storage-class': value });
        answer.fails(400, 'InvalidArgument');
      }
      assert.equal((await storage.get(path)).is(200).text, 'x');
    },
  },
  {
    id: 'put-object-race',
    name: 'of many PutObject of one key at a time one wins whole, and all succeed',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const bodies = Array.from({ length: 6 }, (_, at) => Buffer.alloc(66_000 + at, 65 + at));
      const answers = await Promise.all(bodies.map((body) => storage.put(path, body)));
      for (const answer of answers) answer.is(200);
      const found = (await storage.get(path)).is(200);
      assert.ok(bodies.some((body) => body.equals(found.body)));
    },
  },
];
