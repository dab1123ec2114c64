import assert from 'node:assert/strict';
import { pathOf } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'json-initiate-multipart-upload',
    name: 'InitiateMultipartUpload returns bucket, key and uploadId',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const [key, flag] of [
        ['folder/key', '?uploads'],
        ['ключ 1+2', '?uploads='],
      ] as const) {
        const path = pathOf(bucket, key) + flag;
        // Some clients already send the source of copied parts here.
        const headers = { 'x-svc-copy-source': '/some-bucket/key' };
        const answer = (await storage.send({ method: 'POST', path, headers })).is(200);
        assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
        assert.deepEqual(Object.keys(answer.json).sort(), ['bucket', 'key', 'uploadId']);
        assert.equal(answer.json.bucket, bucket);
        assert.equal(answer.json.key, key);
        assert.match(answer.json.uploadId, /^[0-9a-f]{32}$/);
        assert.ok(answer.header('x-svc-request-id'));
      }
    },
  },
  {
    id: 'json-initiate-bad-headers',
    name: 'x-svc-meta- without a name is 400 InvalidArgument, and begins no upload',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const headers = { 'x-svc-meta-': 'a' };
      const path = `/${bucket}/key?uploads`;
      (await storage.send({ method: 'POST', path, headers })).fails(400, 'InvalidArgument');
      assert.deepEqual((await storage.get(`/${bucket}?uploads`)).is(200).json.uploads, []);
    },
  },
];
