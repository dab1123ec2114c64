import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import { bytes } from '../../actions/tools.js';
import type { StorageClient } from '../wire/client.js';
import { send } from '../wire/client.js';
import {
  append,
  complete,
  initiate,
  listParts,
  MIN_PART,
  md5,
  partPath,
  TIME,
  upload,
} from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { cases as conditions } from './upload-part-copy-conditions.js';

async function open(storage: StorageClient) {
  const bucket = await storage.newBucket();
  const path = `/${bucket}/target`;
  const uploadId = await initiate(storage, path);
  const copyPart = (number: number | string, source: string, headers?: OutgoingHttpHeaders) =>
    storage.put(partPath(path, uploadId, number), '', { ...headers, 'x-svc-copy-source': source });
  return { bucket, path, uploadId, copyPart };
}

export const cases: readonly HttpRule[] = [
  ...conditions,
  {
    id: 'upload-part-copy',
    name: 'UploadPartCopy fills a part with an object, and answers eTag, ETag and lastModified',
    async prove(storage) {
      const { bucket, path, uploadId, copyPart } = await open(storage);
      const data = bytes(MIN_PART);
      (await storage.put(`/${bucket}/source`, data)).is(200);
      const answer = (await copyPart(3, `/${bucket}/source`)).is(200);
      assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
      const { lastModified, ...tags } = answer.json;
      assert.deepEqual(tags, { eTag: md5(data), ETag: md5(data) });
      assert.match(lastModified, TIME);
      const { json } = await listParts(storage, path, uploadId);
      assert.deepEqual(json.parts, [{ partNumber: 3, lastModified, ...tags, size: MIN_PART }]);
      (await complete(storage, path, uploadId, [{ partNumber: 3, eTag: md5(data) }])).is(200);
      assert.ok((await storage.get(path)).is(200).body.equals(data));
    },
  },
  {
    id: 'upload-part-copy-host-style',
    name: 'UploadPartCopy in host style: the bucket in the Host header, the path is the key',
    async prove(storage) {
      if (storage.server.bucketUrl === undefined) return;
      const { bucket, path, uploadId } = await open(storage);
      (await storage.put(`/${bucket}/source`, '0123456789')).is(200);
      const { url, host } = storage.server.bucketUrl(bucket);
      const { origin, pathname } = new URL(url);
      const mount = pathname === '/' ? '' : pathname;
      const answer = await send({
        origin,
        method: 'PUT',
        path: mount + partPath('/target', uploadId, 1),
        headers: {
          authorization: 'Bearer alice',
          host,
          date: new Date().toUTCString(),
          'content-type': 'text/plain',
          'content-length': 0,
          'x-svc-copy-source': `/${bucket}/source`,
          'x-svc-copy-source-range': 'bytes=0-3',
        },
      });
      assert.equal(answer.is(200).json.eTag, md5('0123'));
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, [1]);
    },
  },
  {
    id: 'upload-part-copy-range',
    name: 'of 10 bytes the range 0-3 copies the first four, 4- all from index 4, -4 the last four',
    async prove(storage) {
      const { bucket, path, uploadId, copyPart } = await open(storage);
      (await storage.put(`/${bucket}/source`, '0123456789')).is(200);
      const rows = [
        ['bytes=0-3', '0123'],
        ['bytes=4-', '456789'],
        ['bytes=-4', '6789'],
        ['bytes=9-9', '9'],
        ['bytes=0-', '0123456789'],
        ['bytes=0-9', '0123456789'],
        ['bytes=5-99', '56789'],
        ['bytes=-99', '0123456789'],
        ['', '0123456789'],
      ] as const;
      for (const [range, text] of rows) {
        const headers = { 'x-svc-copy-source-range': range };
        const { eTag } = (await copyPart(1, `/${bucket}/source`, headers)).is(200).json;
        assert.equal(eTag, md5(text), range);
        const { json } = await listParts(storage, path, uploadId);
        assert.equal(json.parts[0].size, text.length, range);
      }
    },
  },
  {
    id: 'upload-part-copy-bad-range',
    name: 'a copy range that is malformed or outside the source is 416 InvalidRange, and no part',
    async prove(storage) {
      const { bucket, path, uploadId, copyPart } = await open(storage);
      (await storage.put(`/${bucket}/source`, '0123456789')).is(200);
      const ranges = ['bytes=10-', 'bytes=10-12', 'bytes=3-2', 'bytes=-0', 'bytes=-', 'bytes='];
      ranges.push('bytes=0-1,3-4', 'bytes=a-b', '0-3', 'lines=0-3', 'bytes=0-3x', 'bytes=1e0-3');
      for (const range of ranges) {
        const answer = await copyPart(1, `/${bucket}/source`, { 'x-svc-copy-source-range': range });
        answer.fails(416, 'InvalidRange');
      }
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, []);
    },
  },
  {
    id: 'upload-part-copy-zero',
    name: 'a source of zero bytes makes an empty part; a range of it is refused with InvalidRange',
    async prove(storage) {
      const { bucket, path, uploadId, copyPart } = await open(storage);
      (await storage.put(`/${bucket}/source`, '')).is(200);
      const { eTag } = (await copyPart(1, `/${bucket}/source`)).is(200).json;
      assert.equal(eTag, md5(''));
      const headers = { 'x-svc-copy-source-range': 'bytes=0-' };
      (await copyPart(2, `/${bucket}/source`, headers)).fails(400, 'InvalidRange');
      (await complete(storage, path, uploadId, [{ partNumber: 1, eTag }])).is(200);
      assert.equal((await storage.get(path)).is(200).body.length, 0);
    },
  },
  {
    id: 'upload-part-copy-sources',
    name: 'parts may come from different sources, of any size and kind, as a whole or a range',
    async prove(storage) {
      const { bucket, path, uploadId, copyPart } = await open(storage);
      const other = await storage.newBucket();
      const [large, three] = [
        bytes(300_000),
        [1, 2, 3].map((at) => Buffer.alloc(MIN_PART + at, at)),
      ];
      const many = Buffer.concat(three);
      (await storage.put(`/${bucket}/small`, '0123456789')).is(200);
      (await storage.put(`/${other}/large`, large)).is(200);
      await upload(storage, `/${bucket}/many`, three);
      const rows = [
        [1, `/${other}/large`, undefined, large],
        [2, `/${other}/large`, 'bytes=100000-250000', large.subarray(100_000, 250_001)],
        [3, `/${bucket}/many`, undefined, many],
        [4, `/${bucket}/many`, `bytes=${MIN_PART - 9}-${2 * MIN_PART + 7}`, undefined],
        [9, `/${bucket}/small`, undefined, Buffer.from('0123456789')],
      ] as const;
      const parts: { partNumber: number; eTag: string }[] = [];
      const expected: Uint8Array[] = [];
      for (const [partNumber, source, range, data] of rows) {
        const part = data ?? many.subarray(MIN_PART - 9, 2 * MIN_PART + 8);
        const { eTag } = (
          await copyPart(partNumber, source, { 'x-svc-copy-source-range': range ?? '' })
        ).is(200).json;
        assert.equal(eTag, md5(part), `part ${partNumber}`);
        parts.push({ partNumber, eTag });
        expected.push(part);
      }
      for (const source of ['small', 'many']) await storage.delete(`/${bucket}/${source}`);
      (await storage.put(`/${other}/large`, 'replaced')).is(200);
      (await complete(storage, path, uploadId, parts)).is(200);
      assert.ok((await storage.get(path)).is(200).body.equals(Buffer.concat(expected)));
    },
  },
  {
    id: 'upload-part-copy-many-segments',
    name: 'a source of more parts than a part may share is copied, whole and in ranges',
    async prove(storage) {
      const { bucket, path, uploadId, copyPart } = await open(storage);
      const bodies = Array.from({ length: 20 }, (_, at) => Buffer.alloc(MIN_PART + at, 65 + at));
      const whole = Buffer.concat(bodies);
      await upload(storage, `/${bucket}/source`, bodies);
      const [from, to] = [MIN_PART / 2, 19 * MIN_PART];
      const range = { 'x-svc-copy-source-range': `bytes=${from}-${to}` };
      const one = (await copyPart(1, `/${bucket}/source`)).is(200).json.eTag;
      const two = (await copyPart(2, `/${bucket}/source`, range)).is(200).json.eTag;
      assert.equal(one, md5(whole));
      const parts = [one, two].map((eTag, at) => ({ partNumber: at + 1, eTag }));
      (await complete(storage, path, uploadId, parts)).is(200);
      const expected = Buffer.concat([whole, whole.subarray(from, to + 1)]);
      assert.ok((await storage.get(path)).is(200).body.equals(expected));
    },
  },
  {
    id: 'upload-part-copy-metadata',
    name: 'metadata and headers of the target are taken neither from the source nor from a part',
    async prove(storage) {
      const { bucket, path, uploadId, copyPart } = await open(storage);
      const stored = { 'x-svc-meta-a': 'source', 'content-type': 'image/png' };
      (await storage.put(`/${bucket}/source`, 'x', stored)).is(200);
      const given = { 'x-svc-meta-b': 'of a part', 'content-type': 'text/plain' };
      const { eTag } = (await copyPart(1, `/${bucket}/source`, given)).is(200).json;
      (await complete(storage, path, uploadId, [{ partNumber: 1, eTag }])).is(200);
      const found = (await storage.head(path)).is(200);
      assert.equal(found.header('x-svc-meta-a'), undefined);
      assert.equal(found.header('x-svc-meta-b'), undefined);
      assert.equal(found.header('content-type'), 'application/octet-stream');
    },
  },
  {
    id: 'upload-part-copy-appendable',
    name: 'UploadPartCopy of an appendable object is 400 NotAllowCopy',
    async prove(storage) {
      const { bucket, path, uploadId, copyPart } = await open(storage);
      (await append(storage, `/${bucket}/log`, 'x')).is(200);
      (await copyPart(1, `/${bucket}/log`)).fails(400, 'NotAllowCopy');
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, []);
    },
  },
  {
    id: 'upload-part-copy-number',
    name: 'the part number of a copy is a whole number from 1 to 10000',
    async prove(storage) {
      const { bucket, copyPart } = await open(storage);
      (await storage.put(`/${bucket}/source`, 'x')).is(200);
      (await copyPart(10_000, `/${bucket}/source`)).is(200);
      for (const number of ['0', '10001', '-1', '1e3', '', '1.5']) {
        (await copyPart(number, `/${bucket}/source`)).fails(400, 'InvalidArgument');
      }
    },
  },
];
