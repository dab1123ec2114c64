import assert from 'node:assert/strict';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'json-abort-empty-id',
    name: 'an abort with an empty uploadId, or one without a value, is 400 InvalidArgument, and deletes nothing',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      (await storage.put(path, 'there')).is(200);
      for (const query of ['?uploadId=', '?uploadId']) {
        (await storage.delete(path + query)).fails(400, 'InvalidArgument');
      }
      assert.equal((await storage.get(path)).text, 'there');
    },
  },
];
