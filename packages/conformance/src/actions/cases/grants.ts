import assert from 'node:assert/strict';
import type { Case, CaseContext } from '../case.js';
import type { DialectClient } from '../client.js';
import { codeOf, Failure, fails, outcome } from '../failure.js';
import { BOB, EVERYBODY, grant, NO_UPLOAD, unauthorizedClients } from '../tools.js';
import type { Conditions, Grant } from '../values.js';

const NEEDS = ['grant-rules'] as const;
const KEYS = ['a', 'a/b', 'a/b.txt', 'b', 'b*c', 'c/a'];

/** Resolves to the keys that a caller may read. */
async function readable(client: DialectClient, bucket: string): Promise<string[]> {
  const found: string[] = [];
  for (const key of KEYS) {
    const code = await codeOf(client.headObject(bucket, key));
    assert.ok(code === 'done' || code === 'AccessDenied', `${key} returned ${code}`);
    if (code === 'done') found.push(key);
  }
  return found;
}

async function filled({ newBucket, fill }: CaseContext): Promise<string> {
  const bucket = await newBucket();
  await fill(bucket, KEYS);
  return bucket;
}

/** Everything that a caller sees of a rejected request. */
async function seen(action: Promise<unknown>): Promise<string> {
  const failure = await outcome(action);
  assert.ok(failure instanceof Failure);
  return JSON.stringify([
    failure.code,
    failure.message,
    failure.http.status,
    failure.http.headerNames,
  ]);
}

const all: readonly Case[] = [
  {
    id: 'grant-resource',
    name: 'a grant with resources applies to them: to an exact name, or to a prefix before *',
    async prove(context) {
      const { alice, bob, anonymous } = context;
      const bucket = await filled(context);
      const rows: readonly (readonly [string[], string[]])[] = [
        [['*'], KEYS],
        [['a'], ['a']],
        [['a*'], ['a', 'a/b', 'a/b.txt']],
        [['a/*'], ['a/b', 'a/b.txt']],
        [['*.txt'], ['a/b.txt']],
        [['a*t'], ['a/b.txt']],
        [['b*c'], ['b*c']],
        [
          ['c/*', 'b'],
          ['b', 'c/a'],
        ],
        [['A'], []],
      ];
      for (const [names, expected] of rows) {
        const resources = names.map((name) => `${bucket}/${name}`);
        await alice.putBucketAcl(bucket, [{ ...grant(BOB, 'READ'), resources }]);
        assert.deepEqual(await readable(bob, bucket), expected, names.join());
        assert.deepEqual(await readable(anonymous, bucket), []);
      }
      for (const name of [bucket, 'other/*', 'a*', '*', `/${bucket}/*`]) {
        const wrong = { ...grant(BOB, 'READ'), resources: [`${bucket}/a`, name] };
        await fails(alice.putBucketAcl(bucket, [wrong]), 'InvalidArgument', name);
      }
    },
  },
  {
    id: 'grant-not-resource',
    name: 'a grant with notResource applies to everything else',
    async prove(context) {
      const { alice, anonymous } = context;
      const bucket = await filled(context);
      const all = `${bucket}/`;
      const rows: readonly (readonly [Partial<Grant>, string[]])[] = [
        [{ exceptResources: [`${all}a*`] }, ['b', 'b*c', 'c/a']],
        [{ exceptResources: [`${all}*`] }, []],
        [{ resources: [`${all}a*`], exceptResources: [`${all}*.txt`] }, ['a', 'a/b']],
      ];
      for (const [fields, expected] of rows) {
        await alice.putBucketAcl(bucket, [{ ...grant(EVERYBODY, 'READ'), ...fields }]);
        assert.deepEqual(await readable(anonymous, bucket), expected);
      }
    },
  },
  {
    id: 'grant-deny',
    name: 'a Deny overrides every Allow, whatever its position and other grantees',
    async prove(context) {
      const { alice, bob, anonymous } = context;
      const bucket = await filled(context);
      const any = grant(EVERYBODY, 'READ');
      const deny = (fields: Partial<Grant>): Grant => ({
        ...grant(BOB, 'READ'),
        effect: 'Deny',
        ...fields,
      });
      const lists: readonly (readonly [Grant[], string[], string[]])[] = [
        [[any, deny({})], [], KEYS],
        [[deny({}), any], [], KEYS],
        [[any, deny({ grantees: ['u-x', BOB] })], [], KEYS],
        [[any, deny({ permissions: ['FULL_CONTROL'] })], [], KEYS],
        [[any, deny({ permissions: ['WRITE'] })], KEYS, KEYS],
        [[any, deny({ resources: [`${bucket}/a*`] })], ['b', 'b*c', 'c/a'], KEYS],
        [[any, deny({ exceptResources: [`${bucket}/a`] })], ['a'], KEYS],
        [[any, deny({ grantees: [EVERYBODY] })], [], []],
        [[deny({ grantees: ['u-x'] })], [], []],
        [[grant(BOB, 'FULL_CONTROL'), deny({})], [], []],
      ];
      for (const [list, forBob, forNobody] of lists) {
        await alice.putBucketAcl(bucket, list);
        const what = JSON.stringify(list);
        assert.deepEqual(await readable(bob, bucket), forBob, what);
        assert.deepEqual(await readable(anonymous, bucket), forNobody, what);
      }
    },
  },
  {
    id: 'grant-deny-write',
    name: 'a Deny of WRITE also denies overwriting, whatever MODIFY or FULL_CONTROL would allow',
    async prove(context) {
      const { alice, bob } = context;
      const bucket = await filled(context);
      const deny: Grant = { ...grant(BOB, 'WRITE'), effect: 'Deny' };
      for (const name of ['WRITE', 'MODIFY', 'FULL_CONTROL'] as const) {
        await alice.putBucketAcl(bucket, [grant(BOB, name), deny]);
        await fails(bob.putObject(bucket, 'a', ''), 'AccessDenied', name);
        await fails(bob.putObject(bucket, 'new', ''), 'AccessDenied', name);
        await fails(bob.deleteObject(bucket, 'a'), 'AccessDenied', name);
      }
    },
  },
  {
    id: 'grant-deny-on-object',
    name: 'a Deny in the list of an object overrides FULL_CONTROL in that list',
    async prove(context) {
      const { alice, bob, anonymous } = context;
      const bucket = await filled(context);
      const deny: Grant = { ...grant(BOB, 'READ'), effect: 'Deny' };
      await alice.putObjectAcl(bucket, 'a', [grant(BOB, 'FULL_CONTROL'), deny]);
      await fails(bob.getObject(bucket, 'a'), 'AccessDenied');
      await alice.putObjectAcl(bucket, 'a', [deny, grant(EVERYBODY, 'READ')]);
      await fails(bob.getObject(bucket, 'a'), 'AccessDenied');
      await anonymous.getObject(bucket, 'a');
    },
  },
  {
    id: 'grant-for-prefix-is-no-listing',
    name: 'a grant for a prefix allows neither looking up nor listing the bucket',
    async prove(context) {
      const { alice, bob } = context;
      const bucket = await filled(context);
      const resources = [`${bucket}/a*`];
      await alice.putBucketAcl(bucket, [{ ...grant(BOB, 'FULL_CONTROL'), resources }]);
      await bob.getObject(bucket, 'a');
      await fails(bob.headBucket(bucket), 'AccessDenied');
      await fails(bob.listObjects(bucket), 'AccessDenied');
      await fails(bob.listObjects(bucket, { prefix: 'a' }), 'AccessDenied');
      await fails(bob.getBucketAcl(bucket), 'AccessDenied');
      await fails(bob.deleteBucket(bucket), 'AccessDenied');
      await fails(bob.getObject(bucket, 'b'), 'AccessDenied');
    },
  },
  {
    id: 'grant-rename-reads',
    name: 'a rename requires READ on the old key, so that it cannot reveal a hidden object',
    needs: ['rename'],
    async prove(context) {
      const { alice, bob } = context;
      const bucket = await filled(context);
      const open = { ...grant(BOB, 'READ'), resources: [`${bucket}/a*`] };
      await alice.putBucketAcl(bucket, [grant(BOB, 'WRITE'), open]);
      await fails(bob.renameObject(bucket, 'b', 'a-b'), 'AccessDenied');
      await alice.headObject(bucket, 'b');
      await bob.renameObject(bucket, 'a', 'a-b');
      const onto = (conditions: Conditions) => bob.renameObject(bucket, 'a-b', 'b', { conditions });
      await fails(onto({ ifMatch: '"x"' }), 'AccessDenied');
      await fails(onto({ ifNoneMatch: '*' }), 'PreconditionFailed');
    },
  },
  {
    id: 'grant-hides',
    name: 'a caller who may not read a key cannot find out whether the object exists',
    async prove(context) {
      const { alice, bob } = context;
      const bucket = await filled(context);
      await alice.putBucketAcl(bucket, [{ ...grant(BOB, 'READ'), resources: [`${bucket}/b*`] }]);
      const range = 'bytes=9-';
      const get = { range, conditions: { ifMatch: '"x"' } };
      const attempts: ((client: DialectClient, key: string) => Promise<unknown>)[] = [
        (client, key) => client.getObject(bucket, key, { range }),
        (client, key) => client.getObject(bucket, key, get),
        (client, key) => client.headObject(bucket, key, get),
        (client, key) => client.getObjectAcl(bucket, key),
        (client, key) => client.deleteObject(bucket, key),
        (client, key) => client.deleteObject(bucket, key, { conditions: { ifMatch: '"x"' } }),
        (client, key) => client.deleteObjectAcl(bucket, key),
        (client, key) => client.listParts({ bucket, key, uploadId: NO_UPLOAD }),
      ];
      for (const client of unauthorizedClients(context)) {
        for (const attempt of attempts) {
          const found = await seen(attempt(client, 'a'));
          assert.equal(found, await seen(attempt(client, 'absent')));
          assert.match(found, /^\["AccessDenied",.*,403,/);
        }
      }
      await fails(bob.getObject(bucket, 'b-absent'), 'NoSuchKey');
    },
  },
  {
    id: 'grant-hides-sources',
    name: 'a caller who may not read the source of a copy cannot find out whether it exists',
    async prove(context) {
      const { alice, bob } = context;
      const [bucket, own] = [await filled(context), await context.newBucket(bob)];
      const copy = (key: string, ifMatch?: string) =>
        bob.copyObject({ bucket, key }, own, 'copy', { sourceConditions: { ifMatch } });
      for (const ifMatch of [undefined, 'x']) {
        assert.equal(await seen(copy('a', ifMatch)), await seen(copy('x', ifMatch)));
      }
      await fails(copy('a'), 'AccessDenied');
      await alice.putBucketAcl(bucket, [grant(BOB, 'READ')]);
      await fails(copy('x'), 'NoSuchKey');
    },
  },
];

export const cases: readonly Case[] = all.map((one) => ({
  ...one,
  needs: [...NEEDS, ...(one.needs ?? [])],
}));
