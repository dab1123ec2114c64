import assert from 'node:assert/strict';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'addressing-v1',
    name: 'a leading /v1 is accepted, and has no effect',
    async prove(storage) {
      const bucket = storage.newName();
      (await storage.put(`/v1/${bucket}`)).is(200);
      (await storage.put(`/v1/${bucket}/v1/key`, 'x')).is(200);
      assert.equal((await storage.get(`/${bucket}/v1/key`)).is(200).text, 'x');
      assert.equal((await storage.get(`/v1/${bucket}/v1/key`)).is(200).text, 'x');
      assert.equal((await storage.get(`/v1/${bucket}`)).is(200).json.name, bucket);
      for (const path of ['/v1', '/v1/']) {
        const { buckets } = (await storage.get(path)).is(200).json;
        assert.ok(buckets.some(({ name }: { name: string }) => name === bucket));
      }
      (await storage.delete(`/v1/${bucket}/v1/key`)).is(204);
      (await storage.delete(`/v1/${bucket}`)).is(204);
      (await storage.head(`/${bucket}`)).failsBare(404);
    },
  },
  {
    id: 'addressing-bucket-slash',
    name: 'a slash after the bucket’s name still means the bucket',
    async prove(storage) {
      const bucket = storage.newName();
      (await storage.put(`/${bucket}/`)).is(200);
      (await storage.head(`/${bucket}/`)).is(200);
      assert.equal((await storage.get(`/${bucket}/?prefix=a`)).is(200).json.prefix, 'a');
      (await storage.delete(`/${bucket}/`)).is(204);
      (await storage.head(`/${bucket}`)).failsBare(404);
    },
  },
  {
    id: 'addressing-query-ignored',
    name: 'an unknown query parameter does not affect a read',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'x')).is(200);
      assert.equal((await storage.get(`/${bucket}/key?_=123&&=`)).is(200).text, 'x');
      (await storage.get(`/${bucket}?`)).is(200);
    },
  },
  {
    id: 'addressing-request-id',
    name: 'every response has its own x-svc-request-id',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const answers = [
        await storage.put(`/${bucket}/key`, 'x'),
        await storage.get(`/${bucket}/key`),
        await storage.head(`/${bucket}/key`),
        await storage.get(`/${bucket}`),
        await storage.get('/'),
        await storage.get(`/${bucket}/no`),
        await storage.head(`/${bucket}/no`),
        await storage.get(`/${bucket}/key`, { 'if-none-match': '*' }),
        await storage.delete(`/${bucket}/key`),
      ];
      const ids = answers.map((answer) => answer.header('x-svc-request-id'));
      assert.ok(ids.every((id) => id !== undefined && id !== ''));
      assert.equal(new Set(ids).size, ids.length);
    },
  },
];
