import assert from 'node:assert/strict';
import { bytes } from './put-object.js';
import type { HttpRule } from './rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'delete-object',
    name: 'DeleteObject is 204 without a body, and the object is gone at once',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const size of [0, 10, 100_000]) {
        const path = `/${bucket}/${size}`;
        (await storage.put(path, bytes(size))).is(200);
        assert.equal((await storage.delete(path)).is(204).body.length, 0);
        (await storage.get(path)).fails(404, 'NoSuchKey');
        (await storage.head(path)).failsBare(404);
      }
      assert.deepEqual((await storage.get(`/${bucket}`)).json.contents, []);
    },
  },
  {
    id: 'delete-object-missing',
    name: 'DeleteObject on a key that does not exist is 404 NoSuchKey',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/a/b`, 'x')).is(200);
      for (const key of ['no', 'a', 'a/', 'a/b/']) {
        (await storage.delete(`/${bucket}/${key}`)).fails(404, 'NoSuchKey');
      }
      (await storage.get(`/${bucket}/a/b`)).is(200);
    },
  },
  {
    id: 'delete-object-race',
    name: 'of many DeleteObject of one key at a time exactly one is 204',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'x')).is(200);
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => storage.delete(`/${bucket}/key`)),
      );
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [204, 404, 404, 404, 404, 404]);
    },
  },
];
