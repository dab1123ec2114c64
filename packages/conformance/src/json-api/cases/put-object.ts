import assert from 'node:assert/strict';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'json-put-object',
    name: 'PutObject returns 200 without a body, with ETag, Content-MD5 and CRC-32 of the data',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const answer = (await storage.put(`/${bucket}/hello`, '123456789')).is(200);
      assert.equal(answer.body.length, 0);
      assert.equal(answer.header('etag'), '"25f9e794323b453885f5181f1b624d0b"');
      assert.equal(answer.header('content-md5'), 'JfnnlDI7RTiF9RgfG2JNCw==');
      assert.equal(answer.header('x-svc-content-crc32'), '3421780262');
      assert.ok(answer.header('x-svc-request-id'));
    },
  },
  {
    id: 'json-put-object-storage-class',
    name: 'a known storage class is accepted in any case and with spaces around it; any other is InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      for (const value of ['STANDARD', 'STANDARD_IA', 'COLD', 'ARCHIVE', 'MAZ_COLD']) {
        (await storage.put(path, value, { 'x-svc-storage-class': value })).is(200);
        assert.equal((await storage.head(path)).header('x-svc-storage-class'), value);
      }
      (await storage.put(path, 'x', { 'x-svc-storage-class': ' Cold ' })).is(200);
      assert.equal((await storage.head(path)).header('x-svc-storage-class'), 'COLD');
      for (const value of ['GLACIER', '__proto__', 'constructor']) {
        const answer = await storage.put(path, 'no', { 'x-svc-storage-class': value });
        answer.fails(400, 'InvalidArgument');
      }
      assert.equal((await storage.get(path)).is(200).text, 'x');
    },
  },
];
