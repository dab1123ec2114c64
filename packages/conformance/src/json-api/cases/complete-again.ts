import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import {
  abort,
  complete,
  initiate,
  MIN_PART,
  NO_UPLOAD,
  part,
  rename,
  upload,
} from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

/** Completions of uploads that are over, or never were: a chapter of CompleteMultipartUpload. */
export const cases: readonly HttpRule[] = [
  {
    id: 'complete-replay',
    name: 'a repeated Complete with the same list gets the same answer; another list NoSuchUpload',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const one = await part(storage, path, uploadId, 1, bytes(MIN_PART));
      const two = await part(storage, path, uploadId, 2, 'two');
      const first = (await complete(storage, path, uploadId, [one, two])).is(200);
      const quoted = [one, two].map((item) => ({ ...item, eTag: `"${item.eTag}"` }));
      for (const list of [[one, two], quoted]) {
        const again = (await complete(storage, path, uploadId, list)).is(200);
        assert.deepEqual(again.json, first.json);
      }
      for (const list of [[one], [two], [{ ...one, eTag: two.eTag }, two]]) {
        (await complete(storage, path, uploadId, list)).fails(404, 'NoSuchUpload');
      }
    },
  },
  {
    id: 'complete-replay-changed',
    name: 'once the object was replaced, renamed or deleted, a repeated Complete is NoSuchUpload',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const changes = [
        () => storage.put(path, 'newer'),
        () => storage.delete(path),
        () => upload(storage, path, ['x']),
        () => rename(storage, 'key', `/${bucket}/other`),
      ];
      for (const change of changes) {
        const uploadId = await initiate(storage, path);
        const listed = await part(storage, path, uploadId, 1, 'x');
        (await complete(storage, path, uploadId, [listed])).is(200);
        assert.ok((await change()).status < 300);
        const before = await storage.get(path);
        (await complete(storage, path, uploadId, [listed])).fails(404, 'NoSuchUpload');
        const after = await storage.get(path);
        assert.deepEqual(
          [after.status, after.header('etag')],
          [before.status, before.header('etag')],
        );
      }
    },
  },
  {
    id: 'complete-ended',
    name: 'after Complete the upload takes no part, lists none and cannot be aborted',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const listed = await part(storage, path, uploadId, 1, 'x');
      (await complete(storage, path, uploadId, [listed])).is(200);
      const target = `${path}?partNumber=2&uploadId=${uploadId}`;
      (await storage.put(target, 'late')).fails(404, 'NoSuchUpload');
      (await storage.get(`${path}?uploadId=${uploadId}`)).fails(404, 'NoSuchUpload');
      (await abort(storage, path, uploadId)).fails(404, 'NoSuchUpload');
      assert.equal((await storage.get(path)).text, 'x');
    },
  },
  {
    id: 'complete-no-upload',
    name: 'Complete of an unknown upload, or of another key’s, is 404 NoSuchUpload',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const uploadId = await initiate(storage, path);
      const one = await part(storage, path, uploadId, 1, 'x');
      for (const id of [NO_UPLOAD, '..%2Fx', 'a'.repeat(5000), '%00', `${uploadId}%00`]) {
        (await complete(storage, path, id, [one])).fails(404, 'NoSuchUpload');
      }
      const other = `/${bucket}/other`;
      (await complete(storage, other, uploadId, [one])).fails(404, 'NoSuchUpload');
      (await complete(storage, path, '', [one])).fails(400, 'InvalidArgument');
      (await complete(storage, path, uploadId, [one])).is(200);
      (await complete(storage, other, uploadId, [one])).fails(404, 'NoSuchUpload');
      (await storage.head(other)).failsBare(404);
    },
  },
];
