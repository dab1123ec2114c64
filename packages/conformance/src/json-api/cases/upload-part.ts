import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { bytes } from '../../actions/tools.js';
import {
  abort,
  base64,
  complete,
  initiate,
  listParts,
  MIN_PART,
  md5,
  NO_UPLOAD,
  part,
  partPath,
  STRANGERS,
} from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

const GB = 1024 ** 3;

export const cases: readonly HttpRule[] = [
  {
    id: 'upload-part',
    name: 'UploadPart answers 200 without a body, with ETag, Content-MD5 and crc32 of the part',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      for (const data of [Buffer.from('123456789'), Buffer.alloc(0), bytes(70_000)]) {
        const answer = (await storage.put(partPath(path, uploadId, 1), data)).is(200);
        assert.equal(answer.body.length, 0);
        assert.equal(answer.header('content-length'), '0');
        assert.equal(answer.header('etag'), `"${md5(data)}"`);
        assert.equal(answer.header('content-md5'), base64(md5(data)));
        assert.equal(answer.header('x-svc-content-crc32'), String(crc32(data)));
        assert.ok(answer.header('x-svc-request-id'));
      }
    },
  },
  {
    id: 'upload-part-chunked',
    name: 'a part may come chunked',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const pieces = [bytes(70_000), bytes(1), bytes(90_000)];
      const headers = { 'transfer-encoding': 'chunked' };
      (await storage.put(partPath(path, uploadId, 7), pieces, headers)).is(200);
      const { json } = await listParts(storage, path, uploadId);
      assert.equal(json.parts[0].size, 160_001);
      assert.equal(json.parts[0].eTag, md5(Buffer.concat(pieces)));
    },
  },
  {
    id: 'upload-part-number',
    name: 'a part number is a whole number from 1 to 10000; anything else is InvalidArgument',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      for (const number of [1, 10_000]) {
        (await storage.put(partPath(path, uploadId, number), 'x')).is(200);
      }
      const bad = [
        '0',
        '10001',
        '-1',
        '1e3',
        '',
        '1.5',
        '01',
        '+1',
        '0x1',
        'one',
        '99999999999999',
      ];
      for (const number of bad) {
        const answer = await storage.put(partPath(path, uploadId, encodeURIComponent(number)), 'x');
        answer.fails(400, 'InvalidArgument');
      }
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, [1, 10_000]);
    },
  },
  {
    id: 'upload-part-half-named',
    name: 'a part without number or without upload is no PutObject, but InvalidArgument',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const queries = ['?partNumber=1', `?uploadId=${uploadId}`, '?partNumber=1&uploadId='];
      queries.push(`?partNumber=1&partNumber=2&uploadId=${uploadId}`);
      queries.push(`?partNumber=1&uploadId=${uploadId}&uploadId=${uploadId}`);
      for (const query of queries) {
        (await storage.put(path + query, 'x')).fails(400, 'InvalidArgument');
      }
      (await storage.head(path)).failsBare(404);
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, []);
    },
  },
  {
    id: 'upload-part-again',
    name: 'a part of the same number replaces the former one',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const former = await part(storage, path, uploadId, 3, bytes(MIN_PART));
      const latter = await part(storage, path, uploadId, 3, 'latter');
      const { json, numbers } = await listParts(storage, path, uploadId);
      assert.deepEqual(numbers, [3]);
      assert.equal(json.parts[0].eTag, latter.eTag);
      assert.equal(json.parts[0].size, 6);
      (await complete(storage, path, uploadId, [former])).fails(400, 'InvalidPart');
      (await complete(storage, path, uploadId, [latter])).is(200);
      assert.equal((await storage.get(path)).text, 'latter');
    },
  },
  {
    id: 'upload-part-again-race',
    name: 'of uploads of one part number at a time one stays whole',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const bodies = Array.from({ length: 8 }, (_, at) => Buffer.alloc(70_000 + at, 65 + at));
      await Promise.all(bodies.map((body) => part(storage, path, uploadId, 1, body)));
      const { json } = await listParts(storage, path, uploadId);
      assert.equal(json.parts.length, 1);
      const [{ partNumber, eTag, size }] = json.parts;
      (await complete(storage, path, uploadId, [{ partNumber, eTag }])).is(200);
      const found = (await storage.get(path)).is(200).body;
      assert.equal(found.length, size);
      assert.ok(bodies.some((body) => body.equals(found)));
    },
  },
  {
    id: 'upload-part-digests',
    name: 'digests that are sent with a part are verified; a wrong one is BadDigest, and no part',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const target = partPath(path, uploadId, 1);
      const data = bytes(70_000);
      const right = {
        'content-md5': base64(md5(data)),
        'x-svc-content-sha256': createHash('sha256').update(data).digest('hex'),
        'x-svc-content-crc32': String(crc32(data)),
      };
      const wrong = {
        'content-md5': base64(md5('other')),
        'x-svc-content-sha256': createHash('sha256').update('other').digest('hex'),
        'x-svc-content-crc32': '1',
      };
      for (const [name, value] of Object.entries(wrong)) {
        (await storage.put(target, data, { ...right, [name]: value })).fails(400, 'BadDigest');
      }
      (await storage.put(target, data, { 'content-md5': 'bm8=' })).fails(400, 'BadDigest');
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, []);
      (await storage.put(target, data, right)).is(200);
      (await storage.put(target, 'x', wrong)).fails(400, 'BadDigest');
      assert.equal((await listParts(storage, path, uploadId)).json.parts[0].eTag, md5(data));
    },
  },
  {
    id: 'upload-part-too-large',
    name: 'a part of more than 5 GB is 400 EntityTooLarge, before the bytes are sent',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const wire = await storage.dial();
      const opening = storage.opening('PUT', partPath(path, uploadId, 1));
      await wire.write(`${opening}Content-Length: ${5 * GB + 1}\r\n\r\n`);
      const answer = await wire.answer;
      assert.ok(answer);
      answer.fails(400, 'EntityTooLarge');
    },
  },
  {
    id: 'upload-part-cut',
    name: 'a part whose bytes break off is no part, and the one that was there stays',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const kept = await part(storage, path, uploadId, 1, 'kept');
      for (const number of [1, 2]) {
        const wire = await storage.dial();
        const opening = storage.opening('PUT', partPath(path, uploadId, number));
        await wire.write(`${opening}Content-Length: 200000\r\n\r\n`);
        await wire.write(bytes(100_000));
        wire.socket.destroy();
        await wire.answer;
      }
      const { json, numbers } = await listParts(storage, path, uploadId);
      assert.deepEqual(numbers, [1]);
      assert.equal(json.parts[0].eTag, kept.eTag);
    },
  },
  {
    id: 'upload-part-no-upload',
    name: 'an upload that is unknown, ended or of another key is 404 NoSuchUpload',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const uploadId = await initiate(storage, path);
      const ended = await initiate(storage, path);
      (await abort(storage, path, ended)).is(204);
      const other = `/${await storage.newBucket()}/key`;
      const ids = [NO_UPLOAD, uploadId.toUpperCase(), `${uploadId}0`, uploadId.slice(1), ended];
      ids.push('..%2Fx', '..', 'a'.repeat(5000), '%00', `${uploadId}%00`, '%F0%9F%98%80', '*', '/');
      for (const id of ids) {
        if (id === uploadId) continue; // An id of digits has no upper case.
        (await storage.put(partPath(path, id, 1), 'x')).fails(404, 'NoSuchUpload');
      }
      for (const wrong of [`/${bucket}/key2`, `/${bucket}/ke`, `/${bucket}/key/`, other]) {
        (await storage.put(partPath(wrong, uploadId, 1), 'x')).fails(404, 'NoSuchUpload');
      }
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, []);
    },
  },
  {
    id: 'upload-part-access',
    name: 'UploadPart by a stranger or by nobody is 403 and leaves no part',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      for (const as of STRANGERS) {
        const target = partPath(path, uploadId, 1);
        const answer = await storage.send({ method: 'PUT', path: target, as, body: 'stolen' });
        answer.fails(403, 'AccessDenied');
      }
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, []);
    },
  },
];
