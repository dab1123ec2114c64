import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import { bytes } from '../../actions/tools.js';
import type { StorageClient } from '../wire/client.js';
import { send } from '../wire/client.js';
import { complete, initiate, listParts, MIN_PART, md5, partPath, TIME } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { misspelledRows, sourceRows } from '../wire/sources.js';

async function open(storage: StorageClient) {
  const bucket = await storage.newBucket();
  const path = `/${bucket}/target`;
  const uploadId = await initiate(storage, path);
  const copyPart = (number: number | string, source: string, headers?: OutgoingHttpHeaders) =>
    storage.put(partPath(path, uploadId, number), '', { ...headers, 'x-svc-copy-source': source });
  return { bucket, path, uploadId, copyPart };
}

export const cases: readonly HttpRule[] = [
  {
    id: 'json-upload-part-copy',
    name: 'UploadPartCopy fills a part with an object, and returns eTag, ETag and lastModified',
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
    name: 'in host style, UploadPartCopy has the bucket in the Host header and the key in the path',
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
    id: 'json-upload-part-copy-metadata',
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
    id: 'json-upload-part-copy-number',
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
  {
    id: 'upload-part-copy-source-forms',
    name: 'the source of a part is written like that of CopyObject',
    async prove(storage) {
      const { bucket, copyPart } = await open(storage);
      const { good, bad } = await sourceRows(storage, bucket);
      for (const [source] of good) (await copyPart(1, source)).is(200);
      for (const [source, status, code] of bad) {
        const answer = await copyPart(1, source);
        assert.equal(answer.status, status, source);
        answer.fails(status, code);
      }
    },
  },
  {
    id: 'json-upload-part-copy-conditions',
    name: 'the conditions on the source of a part have both spellings of the interface',
    async prove(storage) {
      const { bucket, copyPart } = await open(storage);
      const source = `/${bucket}/source`;
      (await storage.put(source, '0123456789')).is(200);
      for (const [headers, status] of await misspelledRows(storage, source)) {
        assert.equal((await copyPart(1, source, headers)).status, status, JSON.stringify(headers));
      }
      const empty = { 'x-svc-copy-source-range': '' };
      assert.equal((await copyPart(1, source, empty)).is(200).json.eTag, md5('0123456789'));
    },
  },
];
