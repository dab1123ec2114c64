import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import type { LifecycleRule } from '../settings.js';
import { BOB, EVERYBODY, grant, unauthorizedClients } from '../tools.js';

/** A valid rule with every field. */
const RULE: LifecycleRule = {
  id: 'a',
  enabled: true,
  prefixes: ['tmp/'],
  days: 7,
  action: 'DeleteObject',
};

const MIDNIGHT = new Date('2030-01-01T00:00:00Z');

export const cases: readonly Case[] = [
  {
    id: 'lifecycle-put',
    name: 'GetBucketLifecycle returns the rules as PutBucketLifecycle set them',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const { days: _, ...undated } = RULE;
      const rules: LifecycleRule[] = [
        RULE,
        { ...RULE, id: 'b', enabled: false, action: 'AbortMultipartUpload' },
        { ...RULE, id: '你 "b"', prefixes: [''] },
        { ...undated, id: 'c', date: MIDNIGHT },
      ];
      await alice.putLifecycle(bucket, rules);
      assert.deepEqual(await alice.getLifecycle(bucket), rules);
    },
  },
  {
    id: 'lifecycle-none',
    name: 'without rules, GetBucketLifecycle is 404 NoLifecycleConfiguration and DeleteBucketLifecycle is 204',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await fails(alice.getLifecycle(bucket), 'NoLifecycleConfiguration');
      await alice.deleteLifecycle(bucket);
      await alice.putLifecycle(bucket, [RULE]);
      for (let round = 0; round < 2; round++) {
        await alice.deleteLifecycle(bucket);
        await fails(alice.getLifecycle(bucket), 'NoLifecycleConfiguration');
      }
    },
  },
  {
    id: 'lifecycle-no-bucket',
    name: 'the rules of a bucket that does not exist are 404 NoSuchBucket',
    async prove({ alice, newName }) {
      const bucket = newName();
      await fails(alice.putLifecycle(bucket, [RULE]), 'NoSuchBucket');
      await fails(alice.getLifecycle(bucket), 'NoSuchBucket');
      await fails(alice.deleteLifecycle(bucket), 'NoSuchBucket');
    },
  },
  {
    id: 'lifecycle-replaces',
    name: 'rules replace the previous ones entirely, and are deleted with their bucket',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const [a, b] = [RULE, { ...RULE, id: 'b' }];
      for (const rules of [[a], [b], [b, a]]) {
        await alice.putLifecycle(bucket, rules);
        assert.deepEqual(await alice.getLifecycle(bucket), rules);
      }
      await alice.deleteBucket(bucket);
      await alice.createBucket(bucket);
      await fails(alice.getLifecycle(bucket), 'NoLifecycleConfiguration');
    },
  },
  {
    id: 'lifecycle-generated-id',
    name: 'an id that is empty or absent is generated, and then stays the same',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const { id: _, ...without } = RULE;
      const given = [without, { ...RULE, id: '' }, { ...RULE, id: 'own' }, without];
      await alice.putLifecycle(bucket, given);
      const rules = await alice.getLifecycle(bucket);
      const ids = rules.map(({ id }) => id);
      assert.equal(new Set(ids).size, 4);
      assert.equal(ids[2], 'own');
      assert.ok(ids.every(Boolean));
      for (const { id, ...rest } of rules) assert.deepEqual({ id, ...rest }, { ...without, id });
      assert.deepEqual(await alice.getLifecycle(bucket), rules);
      await alice.putLifecycle(bucket, rules);
      assert.deepEqual(await alice.getLifecycle(bucket), rules);
    },
  },
  {
    id: 'lifecycle-many',
    name: 'a bucket may have 1,000 rules; 1,001 are rejected, and the old rules stay',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const rules = Array.from({ length: 1001 }, (_, at) => ({ ...RULE, id: `rule ${at}` }));
      await alice.putLifecycle(bucket, rules.slice(1));
      await fails(alice.putLifecycle(bucket, rules), traits.invalidRules);
      assert.deepEqual(await alice.getLifecycle(bucket), rules.slice(1));
    },
  },
  {
    id: 'lifecycle-same-id',
    name: 'ids are unique: a second rule with the same id is rejected, and the old rules stay',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putLifecycle(bucket, [RULE]);
      await fails(alice.putLifecycle(bucket, [RULE, RULE]), 'InvalidArgument');
      assert.deepEqual(await alice.getLifecycle(bucket), [RULE]);
    },
  },
  {
    id: 'lifecycle-access',
    name: 'the owner and grantees with FULL_CONTROL can set, read and delete lifecycle rules',
    async prove(context) {
      const { alice, bob } = context;
      const bucket = await context.newBucket();
      await alice.putLifecycle(bucket, [RULE]);
      await alice.putBucketAcl(bucket, [grant(EVERYBODY, 'READ', 'WRITE')]);
      for (const client of unauthorizedClients(context)) {
        await fails(client.putLifecycle(bucket, [{ ...RULE, id: 'x' }]), 'AccessDenied');
        await fails(client.getLifecycle(bucket), 'AccessDenied');
        await fails(client.deleteLifecycle(bucket), 'AccessDenied');
      }
      assert.deepEqual(await alice.getLifecycle(bucket), [RULE]);
      await alice.putBucketAcl(bucket, [grant(BOB, 'FULL_CONTROL')]);
      const other = [{ ...RULE, id: 'bob' }];
      await bob.putLifecycle(bucket, other);
      assert.deepEqual(await bob.getLifecycle(bucket), other);
      await bob.deleteLifecycle(bucket);
      await fails(alice.getLifecycle(bucket), 'NoLifecycleConfiguration');
    },
  },
];
