import assert from 'node:assert/strict';
import {
  append,
  complete,
  initiate,
  listParts,
  NO_UPLOAD,
  partPath,
  STRANGERS,
} from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { conditionRows, sourceRows } from '../wire/sources.js';

/** Sources, conditions and refusals of copies: a chapter of UploadPartCopy. */
export const cases: readonly HttpRule[] = [
  {
    id: 'upload-part-copy-conditions',
    name: 'a part is copied only if the conditions on the source hold; else 412 and no part',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/target`;
      (await storage.put(`/${bucket}/source`, '0123456789')).is(200);
      const uploadId = await initiate(storage, path);
      const target = partPath(path, uploadId, 1);
      const { met, unmet } = await conditionRows(storage, `/${bucket}/source`);
      for (const row of unmet) {
        const headers = { ...row, 'x-svc-copy-source': `/${bucket}/source` };
        const answer = await storage.put(target, '', headers);
        assert.equal(answer.status, 412, JSON.stringify(row));
        answer.fails(412, 'PreconditionFailed');
      }
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, []);
      for (const row of met) {
        const headers = { ...row, 'x-svc-copy-source': `/${bucket}/source` };
        const answer = await storage.put(target, '', headers);
        assert.equal(answer.status, 200, JSON.stringify(row));
      }
    },
  },
  {
    id: 'upload-part-copy-source-forms',
    name: 'the source of a part is written as that of CopyObject',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/target`;
      const uploadId = await initiate(storage, path);
      const target = partPath(path, uploadId, 1);
      const { good, bad } = await sourceRows(storage, bucket);
      for (const [source] of good) {
        (await storage.put(target, '', { 'x-svc-copy-source': source })).is(200);
      }
      for (const [source, status, code] of bad) {
        const answer = await storage.put(target, '', { 'x-svc-copy-source': source });
        assert.equal(answer.status, status, source);
        answer.fails(status, code);
      }
    },
  },
  {
    id: 'upload-part-copy-foreign-source',
    name: 'a part can not be copied from a source of another owner: 403 AccessDenied',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const theirs = storage.newName();
      (await storage.send({ method: 'PUT', path: `/${theirs}`, as: 'bob' })).is(200);
      const secret = { method: 'PUT', path: `/${theirs}/secret`, as: 'bob', body: 'x' } as const;
      (await storage.send(secret)).is(200);
      const path = `/${bucket}/target`;
      const uploadId = await initiate(storage, path);
      for (const key of ['secret', 'missing']) {
        const headers = { 'x-svc-copy-source': `/${theirs}/${key}` };
        const answer = await storage.put(partPath(path, uploadId, 1), '', headers);
        answer.fails(403, 'AccessDenied');
      }
    },
  },
  {
    id: 'copy-too-large',
    name: 'a source of more than 5 GB is 400 EntityTooLarge for one copy, and copied in ranges',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const size = 64 * 1024 * 1024;
      (await storage.put(`/${bucket}/block`, Buffer.alloc(size))).is(200);
      const path = `/${bucket}/large`;
      const uploadId = await initiate(storage, path);
      const parts: { partNumber: number; eTag: string }[] = [];
      for (let partNumber = 1; partNumber <= 81; partNumber++) {
        const headers = { 'x-svc-copy-source': `/${bucket}/block` };
        const target = partPath(path, uploadId, partNumber);
        const { eTag } = (await storage.put(target, '', headers)).is(200).json;
        parts.push({ partNumber, eTag });
      }
      (await complete(storage, path, uploadId, parts)).is(200);
      assert.equal((await storage.head(path)).header('content-length'), String(81 * size));
      const source = { 'x-svc-copy-source': path };
      (await storage.put(`/${bucket}/copy`, '', source)).fails(400, 'EntityTooLarge');
      const next = await initiate(storage, `/${bucket}/copy`);
      const target = partPath(`/${bucket}/copy`, next, 1);
      (await storage.put(target, '', source)).fails(400, 'EntityTooLarge');
      const ranges = [`bytes=0-${80 * size}`, `bytes=-${80 * size + 1}`, 'bytes=0-'];
      for (const range of ranges) {
        const answer = await storage.put(target, '', {
          ...source,
          'x-svc-copy-source-range': range,
        });
        answer.fails(400, 'EntityTooLarge');
      }
      const tail = { ...source, 'x-svc-copy-source-range': 'bytes=-10' };
      (await storage.put(target, '', tail)).is(200);
      const range = `bytes=${70 * size - 5}-${70 * size + 4}`;
      assert.equal((await storage.get(path, { range })).is(206).body.length, 10);
    },
  },
  {
    id: 'upload-part-copy-snapshot',
    name: 'a copied part keeps its bytes when the source is replaced or deleted',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/target`;
      const uploadId = await initiate(storage, path);
      const data = Buffer.alloc(70_000, 'a');
      const parts: { partNumber: number; eTag: string }[] = [];
      (await storage.put(`/${bucket}/source`, data)).is(200);
      const headers = { 'x-svc-copy-source': `/${bucket}/source` };
      const { eTag } = (await storage.put(partPath(path, uploadId, 1), '', headers)).is(200).json;
      parts.push({ partNumber: 1, eTag });
      (await append(storage, `/${bucket}/source`, 'b')).is(200);
      (await storage.delete(`/${bucket}/source`)).is(204);
      (await complete(storage, path, uploadId, parts)).is(200);
      assert.ok((await storage.get(path)).is(200).body.equals(data));
    },
  },
  {
    id: 'upload-part-copy-no-upload',
    name: 'UploadPartCopy into an unknown upload, or another key’s, is 404 NoSuchUpload',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/target`;
      const uploadId = await initiate(storage, path);
      (await storage.put(`/${bucket}/source`, 'x')).is(200);
      const headers = { 'x-svc-copy-source': `/${bucket}/source` };
      for (const id of [NO_UPLOAD, '..%2Fx', 'a'.repeat(5000), '%00']) {
        (await storage.put(partPath(path, id, 1), '', headers)).fails(404, 'NoSuchUpload');
      }
      const other = partPath(`/${bucket}/other`, uploadId, 1);
      (await storage.put(other, '', headers)).fails(404, 'NoSuchUpload');
    },
  },
  {
    id: 'upload-part-copy-access',
    name: 'UploadPartCopy into a bucket of someone else is 403, and leaves no part',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/target`;
      const uploadId = await initiate(storage, path);
      (await storage.put(`/${bucket}/source`, 'x')).is(200);
      const headers = { 'x-svc-copy-source': `/${bucket}/source` };
      for (const as of STRANGERS) {
        const target = partPath(path, uploadId, 1);
        const answer = await storage.send({ method: 'PUT', path: target, as, headers });
        answer.fails(403, 'AccessDenied');
      }
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, []);
    },
  },
];
