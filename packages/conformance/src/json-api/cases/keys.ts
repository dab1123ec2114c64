import assert from 'node:assert/strict';
import { pathOf } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'json-keys-length',
    name: 'a key has at most 1,023 bytes of UTF-8; a longer one, or one with NUL, is 400 InvalidObjectName',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const fits = ['x'.repeat(1023), `${'é'.repeat(511)}x`, `${'😀'.repeat(255)}xyz`];
      for (const key of fits) (await storage.put(pathOf(bucket, key), 'long')).is(200);
      for (const key of ['x'.repeat(1024), 'é'.repeat(512), '😀'.repeat(256)]) {
        (await storage.put(pathOf(bucket, key), 'no')).fails(400, 'InvalidObjectName');
      }
      assert.equal((await storage.get(`/${bucket}`)).is(200).json.contents.length, fits.length);
    },
  },
];
