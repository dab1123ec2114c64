import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Case } from '../case.js';
import { codeOf, fails } from '../failure.js';
import { textOf, unauthorizedClients } from '../tools.js';

const BAD_NAMES = [
  ...['ab', 'a', 'x'.repeat(64), '-abc', 'abc-', 'ABC', 'Abc', 'a_b', 'a..b', '..', '...'],
  ...['a+b', '__proto__'],
];

export const cases: readonly Case[] = [
  {
    id: 'put-bucket',
    name: 'PutBucket creates an empty bucket that exists at once',
    async prove({ alice, newName }) {
      const bucket = newName();
      await alice.createBucket(bucket);
      await alice.headBucket(bucket);
      assert.deepEqual((await alice.listObjects(bucket)).keys, []);
    },
  },
  {
    id: 'put-bucket-taken',
    name: 'PutBucket with a name that is taken is 409 BucketAlreadyExists, or leaves the bucket unchanged',
    async prove({ alice, bob, newBucket, traits }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'kept', 'bytes');
      const again = codeOf(alice.createBucket(bucket));
      assert.equal(await again, traits.recreatesBuckets ? 'done' : 'BucketAlreadyExists');
      await fails(alice.createBucket(bucket, { acl: 'public-read' }), 'BucketAlreadyExists');
      await fails(bob.createBucket(bucket), 'BucketAlreadyExists');
      assert.equal(await textOf(alice, bucket, 'kept'), 'bytes');
      await fails(bob.getObject(bucket, 'kept'), 'AccessDenied');
    },
  },
  {
    id: 'put-bucket-race',
    name: 'of concurrent PutBucket requests with one name, exactly one succeeds, or all of one caller',
    async prove({ alice, bob, newName, traits }) {
      const bucket = newName();
      const codes = await Promise.all(
        Array.from({ length: 8 }, (_, at) => codeOf((at % 2 ? alice : bob).createBucket(bucket))),
      );
      const done = traits.recreatesBuckets ? 4 : 1;
      const others = Array.from({ length: 8 - done }, () => 'BucketAlreadyExists');
      assert.deepEqual(codes.sort(), [...others, ...Array.from({ length: done }, () => 'done')]);
    },
  },
  {
    id: 'put-bucket-name',
    name: 'a bucket name has 3 to 63 of a-z, 0-9 and -, and begins and ends with a letter or digit',
    async prove({ alice, traits }) {
      const dotted = traits.bucketNamesWithDots ? [] : ['a.b'];
      for (const name of [...BAD_NAMES, ...dotted]) {
        await fails(alice.createBucket(name), 'InvalidBucketName', name);
        await fails(alice.getObject(name, 'key'), 'InvalidBucketName', name);
      }
      const tail = randomBytes(16).toString('hex');
      const shortest = tail.slice(0, 3);
      for (const name of [`0-${tail.padEnd(61, '-0')}`.slice(0, 62).concat('z'), shortest]) {
        const code = await codeOf(alice.createBucket(name));
        const taken = name === shortest && code === 'BucketAlreadyExists';
        assert.ok(code === 'done' || taken, `${name}: ${code}`);
        await alice.deleteBucket(name);
      }
    },
  },
  {
    id: 'put-bucket-anonymous',
    name: 'PutBucket needs a caller: anonymous is 403 AccessDenied and creates nothing',
    async prove({ alice, anonymous, newName }) {
      const bucket = newName();
      await fails(anonymous.createBucket(bucket), 'AccessDenied');
      await fails(alice.headBucket(bucket), 'NoSuchBucket');
    },
  },
  {
    id: 'head-bucket',
    name: 'HeadBucket responds with 200, 403 or 404, without a body',
    async prove(context) {
      const bucket = await context.newBucket();
      await context.alice.headBucket(bucket);
      for (const client of unauthorizedClients(context)) {
        await fails(client.headBucket(bucket), 'AccessDenied');
      }
      await fails(context.alice.headBucket(context.newName()), 'NoSuchBucket');
    },
  },
  {
    id: 'delete-bucket',
    name: 'DeleteBucket is 204, removes the bucket and frees its name for anyone',
    async prove({ alice, bob, newBucket }) {
      const bucket = await newBucket();
      await alice.deleteBucket(bucket);
      await fails(alice.headBucket(bucket), 'NoSuchBucket');
      await fails(alice.getObject(bucket, 'key'), 'NoSuchBucket');
      await bob.createBucket(bucket);
      await fails(alice.listObjects(bucket), 'AccessDenied');
      await bob.deleteBucket(bucket);
    },
  },
  {
    id: 'delete-bucket-full',
    name: 'DeleteBucket on a bucket with objects is 409 BucketNotEmpty and deletes nothing',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'one', '1');
      await fails(alice.deleteBucket(bucket), 'BucketNotEmpty');
      assert.equal(await textOf(alice, bucket, 'one'), '1');
      await alice.deleteObject(bucket, 'one');
      await alice.deleteBucket(bucket);
    },
  },
  {
    id: 'delete-bucket-missing',
    name: 'DeleteBucket on a bucket that does not exist is 404 NoSuchBucket',
    async prove({ alice, newName }) {
      await fails(alice.deleteBucket(newName()), 'NoSuchBucket');
    },
  },
  {
    id: 'list-buckets',
    name: 'ListBuckets returns the owner, and only the buckets of the caller, ordered by name',
    async prove({ alice, bob, anonymous, newBucket }) {
      const mine = [await newBucket(), await newBucket()];
      const { owner, buckets } = await alice.listBuckets();
      assert.deepEqual(owner, { id: 'u-alice', displayName: 'Alice' });
      const names = buckets.map(({ name }) => name);
      assert.deepEqual(names, names.toSorted());
      for (const { name, created } of buckets.filter((bucket) => mine.includes(bucket.name))) {
        assert.ok(Math.abs(created.getTime() - Date.now()) < 600_000, `${name}: times are UTC`);
      }
      const only = await alice.listBuckets({ prefix: mine[0] });
      assert.deepEqual(
        only.buckets.map(({ name }) => name),
        [mine[0]],
      );
      const others = await bob.listBuckets();
      assert.deepEqual(others.owner, { id: 'u-bob', displayName: 'Bob' });
      const foreign = others.buckets.map(({ name }) => name);
      for (const name of mine) {
        assert.equal(names.filter((found) => found === name).length, 1);
        assert.ok(!foreign.includes(name));
      }
      await fails(anonymous.listBuckets(), 'AccessDenied');
    },
  },
  {
    id: 'get-bucket-location',
    name: 'GetBucketLocation returns the location of a bucket',
    async prove({ alice, newBucket, newName }) {
      assert.ok(await alice.bucketLocation(await newBucket()));
      await fails(alice.bucketLocation(newName()), 'NoSuchBucket');
    },
  },
  {
    id: 'bucket-missing',
    name: 'every operation in a bucket that does not exist is 404 NoSuchBucket',
    async prove({ alice, newName }) {
      const bucket = newName();
      await fails(alice.listObjects(bucket), 'NoSuchBucket');
      await fails(alice.getObject(bucket, 'key'), 'NoSuchBucket');
      await fails(alice.putObject(bucket, 'key', 'x'), 'NoSuchBucket');
      await fails(alice.deleteObject(bucket, 'key'), 'NoSuchBucket');
      await fails(alice.deleteObjects(bucket, ['a']), 'NoSuchBucket');
      // HEAD returns only a status.
      await fails(alice.headObject(bucket, 'key'), 'NoSuchKey');
    },
  },
];
