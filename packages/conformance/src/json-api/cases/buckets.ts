import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { HttpRule } from '../wire/rule.js';
import { listIn } from '../wire/settings.js';

const BAD_NAMES = [
  ...['ab', 'a', 'x'.repeat(64), '-abc', 'abc-', 'ABC', 'Abc', 'a_b', 'a.b', 'a..b', '..', '...'],
  ...['a%20b', 'a%2Fb', 'a%5Cb', 'a%00b', 'a+b', '%C3%A4bc', 'abc%0A', '__proto__', '%2e%2e'],
];

export const cases: readonly HttpRule[] = [
  {
    id: 'json-put-bucket',
    name: 'PutBucket returns 200 without a body and with a Location',
    async prove(storage) {
      const answer = await storage.put(`/${storage.newName()}`);
      answer.is(200);
      assert.equal(answer.body.length, 0);
      assert.ok(answer.header('location'));
      assert.ok(answer.header('x-svc-request-id'));
    },
  },
  {
    id: 'put-bucket-body',
    name: 'PutBucket accepts a JSON body with unknown settings',
    async prove(storage) {
      const name = storage.newName();
      (await storage.put(`/${name}`, '{"enableMultiAZ":false}')).is(200);
      (await storage.head(`/${name}`)).is(200);
    },
  },
  {
    id: 'json-put-bucket-name',
    name: 'a bucket name has 3 to 63 of a-z, 0-9 and -, and begins and ends with a letter or digit',
    async prove(storage) {
      for (const name of BAD_NAMES) {
        (await storage.put(`/${name}`)).fails(400, 'InvalidBucketName');
        (await storage.get(`/${name}/key`)).fails(400, 'InvalidBucketName');
      }
      const tail = randomBytes(16).toString('hex');
      const shortest = tail.slice(0, 3);
      for (const name of [`0-${tail.padEnd(61, '-0')}`.slice(0, 62).concat('z'), shortest]) {
        const status = (await storage.put(`/${name}`)).status;
        assert.ok(status === 200 || (name === shortest && status === 409), `${name}: ${status}`);
        (await storage.delete(`/${name}`)).is(204);
      }
    },
  },
  {
    id: 'json-get-bucket-location',
    name: 'GetBucketLocation returns {"locationConstraint"}, and the flag may be written ?location=',
    async prove(storage) {
      const name = await storage.newBucket();
      for (const query of ['location', 'location=']) {
        const { json } = (await storage.get(`/${name}?${query}`)).is(200);
        assert.deepEqual(Object.keys(json), ['locationConstraint']);
        assert.ok(json.locationConstraint);
      }
      const missing = await storage.get(`/${storage.newName()}?location`);
      missing.fails(404, 'NoSuchBucket');
    },
  },
  {
    id: 'method-not-allowed',
    name: 'a method that a resource does not have is 405 MethodNotAllowed',
    async prove(storage) {
      const name = await storage.newBucket();
      const paths = ['/', `/${name}`, `/${name}/key`];
      for (const path of paths) {
        for (const method of ['POST', 'PATCH', 'PROPFIND']) {
          const answer = await storage.send({ method, path });
          answer.fails(405, 'MethodNotAllowed');
          const allow = listIn(answer, 'allow');
          assert.ok(allow.includes('get') && !allow.includes(method.toLowerCase()), `${allow}`);
        }
      }
      (await storage.put('/')).fails(405, 'MethodNotAllowed');
      (await storage.delete('/')).fails(405, 'MethodNotAllowed');
    },
  },
];
