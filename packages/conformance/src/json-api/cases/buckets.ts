import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { HttpRule } from '../wire/rule.js';
import { listIn } from '../wire/settings.js';

const ISO_SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const BAD_NAMES = [
  ...['ab', 'a', 'x'.repeat(64), '-abc', 'abc-', 'ABC', 'Abc', 'a_b', 'a.b', 'a..b', '..', '...'],
  ...['a%20b', 'a%2Fb', 'a%5Cb', 'a%00b', 'a+b', '%C3%A4bc', 'abc%0A', '__proto__', '%2e%2e'],
];

export const cases: readonly HttpRule[] = [
  {
    id: 'put-bucket',
    name: 'PutBucket answers 200 without a body and with a Location',
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
    name: 'PutBucket takes a JSON body of settings that it does not know',
    async prove(storage) {
      const name = storage.newName();
      (await storage.put(`/${name}`, '{"enableMultiAZ":false}')).is(200);
      (await storage.head(`/${name}`)).is(200);
    },
  },
  {
    id: 'put-bucket-taken',
    name: 'PutBucket with a name that is taken is 409 BucketAlreadyExists, also for its owner',
    async prove(storage) {
      const name = await storage.newBucket();
      (await storage.put(`/${name}`)).fails(409, 'BucketAlreadyExists');
      const other = await storage.send({ method: 'PUT', path: `/${name}`, as: 'bob' });
      other.fails(409, 'BucketAlreadyExists');
      (await storage.head(`/${name}`)).is(200);
    },
  },
  {
    id: 'put-bucket-race',
    name: 'of many PutBucket of one name at a time exactly one succeeds',
    async prove(storage) {
      const path = `/${storage.newName()}`;
      const answers = await Promise.all(Array.from({ length: 8 }, () => storage.put(path)));
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
    },
  },
  {
    id: 'put-bucket-name',
    name: 'a bucket name is 3 to 63 of a-z, 0-9 and -, with a letter or digit at both ends',
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
    id: 'put-bucket-anonymous',
    name: 'PutBucket needs a caller: anonymous is 403 AccessDenied and creates nothing',
    async prove(storage) {
      const path = `/${storage.newName()}`;
      const answer = await storage.send({ method: 'PUT', path, as: 'anonymous' });
      answer.fails(403, 'AccessDenied');
      (await storage.head(path)).failsBare(404);
    },
  },
  {
    id: 'head-bucket',
    name: 'HeadBucket tells by 200, 403 and 404 alone, without a body',
    async prove(storage) {
      const name = await storage.newBucket();
      const found = (await storage.head(`/${name}`)).is(200);
      assert.equal(found.body.length, 0);
      const head = (as: 'bob' | 'anonymous') =>
        storage.send({ method: 'HEAD', path: `/${name}`, as });
      (await head('bob')).failsBare(403);
      (await head('anonymous')).failsBare(403);
      (await storage.head(`/${storage.newName()}`)).failsBare(404);
    },
  },
  {
    id: 'delete-bucket',
    name: 'DeleteBucket is 204; then the bucket is gone and its name is free for anyone',
    async prove(storage) {
      const name = await storage.newBucket();
      const answer = (await storage.delete(`/${name}`)).is(204);
      assert.equal(answer.body.length, 0);
      (await storage.head(`/${name}`)).failsBare(404);
      (await storage.get(`/${name}/key`)).fails(404, 'NoSuchBucket');
      (await storage.send({ method: 'PUT', path: `/${name}`, as: 'bob' })).is(200);
      (await storage.get(`/${name}`)).fails(403, 'AccessDenied');
      (await storage.send({ method: 'DELETE', path: `/${name}`, as: 'bob' })).is(204);
    },
  },
  {
    id: 'delete-bucket-full',
    name: 'DeleteBucket on a bucket with objects is 409 BucketNotEmpty and deletes nothing',
    async prove(storage) {
      const name = await storage.newBucket();
      (await storage.put(`/${name}/one`, '1')).is(200);
      (await storage.delete(`/${name}`)).fails(409, 'BucketNotEmpty');
      assert.equal((await storage.get(`/${name}/one`)).is(200).text, '1');
      (await storage.delete(`/${name}/one`)).is(204);
      (await storage.delete(`/${name}`)).is(204);
    },
  },
  {
    id: 'delete-bucket-missing',
    name: 'DeleteBucket on a bucket that does not exist is 404 NoSuchBucket',
    async prove(storage) {
      (await storage.delete(`/${storage.newName()}`)).fails(404, 'NoSuchBucket');
    },
  },
  {
    id: 'list-buckets',
    name: 'ListBuckets shows the owner, and of all buckets only those of the caller, by name',
    async prove(storage) {
      const mine = [await storage.newBucket(), await storage.newBucket()];
      const list = async (as: 'alice' | 'bob') => {
        const answer = (await storage.send({ method: 'GET', path: '/', as })).is(200);
        assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
        return answer.json;
      };
      const { owner, buckets } = await list('alice');
      assert.deepEqual(owner, { id: 'u-alice', displayName: 'Alice' });
      const names: string[] = buckets.map(({ name }: { name: string }) => name);
      assert.deepEqual(names, names.toSorted());
      for (const { name, location, creationDate } of buckets) {
        assert.ok(typeof location === 'string' && location !== '', name);
        assert.match(creationDate, ISO_SECONDS);
      }
      const only = await storage.get(`/?prefix=${mine[0]}`);
      assert.deepEqual(
        only.is(200).json.buckets.map(({ name }: { name: string }) => name),
        [mine[0]],
      );
      const others = await list('bob');
      assert.deepEqual(others.owner, { id: 'u-bob', displayName: 'Bob' });
      const foreign = others.buckets.map(({ name }: { name: string }) => name);
      for (const name of mine) {
        assert.equal(names.filter((found) => found === name).length, 1);
        assert.ok(!foreign.includes(name));
      }
      const answer = await storage.send({ method: 'GET', path: '/', as: 'anonymous' });
      answer.fails(403, 'AccessDenied');
    },
  },
  {
    id: 'get-bucket-location',
    name: 'GetBucketLocation answers {"locationConstraint"}, and the flag may be written ?location=',
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
    id: 'bucket-missing',
    name: 'every operation in a bucket that does not exist is 404 NoSuchBucket',
    async prove(storage) {
      const name = storage.newName();
      (await storage.get(`/${name}`)).fails(404, 'NoSuchBucket');
      (await storage.get(`/${name}/key`)).fails(404, 'NoSuchBucket');
      (await storage.put(`/${name}/key`, 'x')).fails(404, 'NoSuchBucket');
      (await storage.delete(`/${name}/key`)).fails(404, 'NoSuchBucket');
      (await storage.head(`/${name}/key`)).failsBare(404);
      const body = '{"objects":[{"key":"a"}]}';
      const many = await storage.send({ method: 'POST', path: `/${name}?delete`, body });
      many.fails(404, 'NoSuchBucket');
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
