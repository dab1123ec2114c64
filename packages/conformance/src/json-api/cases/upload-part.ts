import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { bytes } from '../../actions/tools.js';
import { base64, initiate, listParts, md5, partPath } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'json-upload-part',
    name: 'UploadPart returns 200 without a body, with ETag, Content-MD5 and CRC-32 of the part',
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
    id: 'json-upload-part-number',
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
    name: 'a part without a number or an upload is InvalidArgument, and not treated as PutObject',
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
];
