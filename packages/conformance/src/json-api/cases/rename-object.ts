import assert from 'node:assert/strict';
import { pathOf } from '../wire/client.js';
import { rename } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'rename-encoded',
    name: 'the old key in x-svc-rename-key is percent-encoded',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const key of ['a/b c', '你好', '100%', 'what?', 'a+b', '/x', '..', '😀'.repeat(255)]) {
        for (const header of [encodeURIComponent(key), pathOf('', key).slice(2)]) {
          (await storage.put(pathOf(bucket, key), key)).is(200);
          (await rename(storage, header, `/${bucket}/new`)).is(200);
          assert.equal((await storage.get(`/${bucket}/new`)).is(200).text, key);
          (await storage.head(pathOf(bucket, key))).failsBare(404);
        }
      }
    },
  },
  {
    id: 'rename-bad-key',
    name: 'an invalid old key is rejected with 400',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const key of ['%ff', '100%', '%00', 'k'.repeat(1024)]) {
        const answer = await rename(storage, key, `/${bucket}/new`);
        assert.equal(answer.status, 400, key);
        assert.match(answer.json.code, /^Invalid(Argument|ObjectName)$/);
      }
      const bare = await storage.send({ method: 'POST', path: `/${bucket}/new` });
      assert.ok(bare.status === 405 || bare.status === 400, `${bare.status}`);
    },
  },
];
