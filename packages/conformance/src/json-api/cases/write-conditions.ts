import assert from 'node:assert/strict';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'put-forbid-overwrite',
    name: 'x-svc-forbid-overwrite: true prevents PutObject from replacing an object',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const forbid = { 'x-svc-forbid-overwrite': 'true' };
      (await storage.put(path, 'first', forbid)).is(200);
      (await storage.put(path, 'second', forbid)).fails(412, 'PreconditionFailed');
      assert.equal((await storage.get(path)).text, 'first');
      (await storage.put(path, 'third', { 'x-svc-forbid-overwrite': 'false' })).is(200);
      assert.equal((await storage.get(path)).text, 'third');
    },
  },
];
