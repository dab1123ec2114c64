import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import {
  abort,
  complete,
  initiate,
  listParts,
  NO_UPLOAD,
  part,
  partPath,
  STRANGERS,
} from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'abort-multipart-upload',
    name: 'AbortMultipartUpload answers 204 without a body, and the upload is no longer listed',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const uploadId = await initiate(storage, path);
      await part(storage, path, uploadId, 1, bytes(70_000));
      const answer = (await abort(storage, path, uploadId)).is(204);
      assert.equal(answer.body.length, 0);
      assert.ok(answer.header('x-svc-request-id'));
      assert.deepEqual((await storage.get(`/${bucket}?uploads`)).json.uploads, []);
      (await storage.head(path)).failsBare(404);
    },
  },
  {
    id: 'abort-ends',
    name: 'after an abort the upload takes no part, lists none and cannot be completed',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const listed = await part(storage, path, uploadId, 1, 'x');
      (await abort(storage, path, uploadId)).is(204);
      (await storage.put(partPath(path, uploadId, 1), 'late')).fails(404, 'NoSuchUpload');
      (await storage.get(`${path}?uploadId=${uploadId}`)).fails(404, 'NoSuchUpload');
      (await complete(storage, path, uploadId, [listed])).fails(404, 'NoSuchUpload');
      (await abort(storage, path, uploadId)).fails(404, 'NoSuchUpload');
    },
  },
  {
    id: 'abort-leaves-others',
    name: 'an abort touches neither the object of that name nor its other uploads',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      (await storage.put(path, 'there')).is(200);
      const [one, two] = [await initiate(storage, path), await initiate(storage, path)];
      await part(storage, path, one, 1, 'one');
      const listed = await part(storage, path, two, 1, 'two');
      (await abort(storage, path, one)).is(204);
      assert.equal((await storage.get(path)).text, 'there');
      assert.deepEqual((await listParts(storage, path, two)).numbers, [1]);
      (await complete(storage, path, two, [listed])).is(200);
      assert.equal((await storage.get(path)).text, 'two');
    },
  },
  {
    id: 'abort-no-upload',
    name: 'an abort of an unknown upload, or of another key’s, is 404 NoSuchUpload',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const uploadId = await initiate(storage, path);
      (await storage.put(path, 'there')).is(200);
      for (const id of [NO_UPLOAD, '..%2Fx', 'a'.repeat(5000), '%00', `${uploadId}%00`, '..']) {
        (await abort(storage, path, id)).fails(404, 'NoSuchUpload');
      }
      (await abort(storage, `/${bucket}/other`, uploadId)).fails(404, 'NoSuchUpload');
      (await listParts(storage, path, uploadId)).json;
      assert.equal((await storage.get(path)).text, 'there');
    },
  },
  {
    id: 'abort-empty-id',
    name: 'an abort without an id is 400 InvalidArgument, and deletes nothing',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      (await storage.put(path, 'there')).is(200);
      for (const query of ['?uploadId=', '?uploadId']) {
        (await storage.delete(path + query)).fails(400, 'InvalidArgument');
      }
      assert.equal((await storage.get(path)).text, 'there');
    },
  },
  {
    id: 'abort-many-parts',
    name: 'an abort of many parts is one step, and their numbers can be used again',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const first = await initiate(storage, path);
      for (let number = 1; number <= 40; number++) {
        await part(storage, path, first, number, bytes(number));
      }
      (await abort(storage, path, first)).is(204);
      const second = await initiate(storage, path);
      assert.deepEqual((await listParts(storage, path, second)).numbers, []);
      const listed = await part(storage, path, second, 1, 'x');
      (await complete(storage, path, second, [listed])).is(200);
    },
  },
  {
    id: 'abort-access',
    name: 'an abort by a stranger or by nobody is 403, and the upload goes on',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      await part(storage, path, uploadId, 1, 'x');
      for (const as of STRANGERS) {
        const target = `${path}?uploadId=${uploadId}`;
        (await storage.send({ method: 'DELETE', path: target, as })).fails(403, 'AccessDenied');
      }
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, [1]);
    },
  },
];
