import assert from 'node:assert/strict';
import type { Case, CaseContext } from '../case.js';
import type { DialectClient } from '../client.js';
import { codeOf, fails } from '../failure.js';
import { absent, BOB, EVERYBODY, grant, textOf } from '../tools.js';

const NEEDS = ['absent-object-acl'] as const;
const CANNED = { private: [], 'public-read': [grant(EVERYBODY, 'READ')] };
const ALLOWED = ['done', 'done', 'done'];
const DENIED = ['AccessDenied', 'AccessDenied', 'AccessDenied'];

/** Creates a bucket of alice with the object `key`. */
async function stored({ alice, newBucket }: CaseContext): Promise<string> {
  const bucket = await newBucket();
  await alice.putObject(bucket, 'key', 'mine');
  return bucket;
}

/** The outcome of every way to read an object. */
const reads = async (client: DialectClient, bucket: string, key = 'key'): Promise<string[]> => [
  await codeOf(client.getObject(bucket, key)),
  await codeOf(client.headObject(bucket, key)),
  await codeOf(client.getObject(bucket, key, { range: 'bytes=0-0' })),
];

/** Copies an object into a bucket of bob, once as an object and once as a part. */
async function copies({ bob }: CaseContext, bucket: string, own: string): Promise<string[]> {
  const source = { bucket, key: 'key' };
  const upload = await bob.initiateUpload(own, 'copy');
  return [
    await codeOf(bob.copyObject(source, own, 'copy')),
    await codeOf(bob.copyPart(source, upload, 1)),
  ];
}

const all: readonly Case[] = [
  {
    id: 'object-acl-none',
    name: 'the list of an object that has none is 404 ObjectAclNotExists, that of a missing object NoSuchKey',
    async prove(context) {
      const { alice } = context;
      const bucket = await stored(context);
      await fails(alice.getObjectAcl(bucket, 'key'), 'ObjectAclNotExists');
      await fails(alice.getObjectAcl(bucket, 'no'), 'NoSuchKey');
      await fails(alice.deleteObjectAcl(bucket, 'no'), 'NoSuchKey');
      await fails(alice.putObjectAcl(bucket, 'no', 'private'), 'NoSuchKey');
      await fails(alice.getObjectAcl(context.newName(), 'key'), 'NoSuchBucket');
    },
  },
  {
    id: 'object-acl-canned',
    name: 'PutObjectAcl accepts the canned lists private and public-read, in lower case only',
    async prove(context) {
      const { alice, anonymous } = context;
      const bucket = await stored(context);
      for (const [canned, grants] of Object.entries(CANNED)) {
        await alice.putObjectAcl(bucket, 'key', canned);
        assert.deepEqual(await alice.getObjectAcl(bucket, 'key'), grants);
        const expected = canned === 'private' ? DENIED : ALLOWED;
        assert.deepEqual(await reads(anonymous, bucket), expected);
      }
      for (const canned of ['public-read-write', 'Public-Read', 'PRIVATE', 'x']) {
        await fails(alice.putObjectAcl(bucket, 'key', canned), 'InvalidArgument', canned);
      }
      assert.deepEqual(await alice.getObjectAcl(bucket, 'key'), CANNED['public-read']);
    },
  },
  {
    id: 'object-acl-opens',
    name: 'the list of an object can allow reading where the bucket does not',
    async prove(context) {
      const { alice, bob, anonymous } = context;
      const bucket = await stored(context);
      assert.deepEqual(await reads(bob, bucket), DENIED);
      await alice.putObjectAcl(bucket, 'key', [grant(BOB, 'READ')]);
      assert.deepEqual(await reads(bob, bucket), ALLOWED);
      assert.deepEqual(await reads(anonymous, bucket), DENIED);
      assert.deepEqual(await reads(alice, bucket), ALLOWED);
    },
  },
  {
    id: 'object-acl-closes',
    name: 'the list of an object can deny reading where the bucket allows it',
    async prove(context) {
      const { alice, bob, anonymous } = context;
      const bucket = await stored(context);
      await alice.putBucketAcl(bucket, [grant(EVERYBODY, 'FULL_CONTROL')]);
      assert.deepEqual(await reads(anonymous, bucket), ALLOWED);
      await alice.putObjectAcl(bucket, 'key', [grant('u-carol', 'READ')]);
      for (const caller of [bob, anonymous]) assert.deepEqual(await reads(caller, bucket), DENIED);
      assert.deepEqual(await reads(alice, bucket), ALLOWED);
    },
  },
  {
    id: 'object-acl-delete',
    name: 'DeleteObjectAcl is 204, and the list of the bucket applies again',
    async prove(context) {
      const { alice, bob } = context;
      const bucket = await stored(context);
      await alice.putObjectAcl(bucket, 'key', [grant(BOB, 'READ')]);
      await alice.deleteObjectAcl(bucket, 'key');
      assert.deepEqual(await reads(bob, bucket), DENIED);
      await fails(alice.getObjectAcl(bucket, 'key'), 'ObjectAclNotExists');
      await alice.putBucketAcl(bucket, [grant(BOB, 'READ')]);
      assert.deepEqual(await reads(bob, bucket), ALLOWED);
      assert.equal(await textOf(alice, bucket, 'key'), 'mine');
    },
  },
  {
    id: 'object-acl-copy-source',
    name: 'the list of an object also determines who may copy it, entirely or into a part',
    async prove(context) {
      const { alice } = context;
      const [bucket, own] = [await stored(context), await context.newBucket(context.bob)];
      const denied = ['AccessDenied', 'AccessDenied'];
      assert.deepEqual(await copies(context, bucket, own), denied);
      await alice.putObjectAcl(bucket, 'key', [grant(BOB, 'READ')]);
      assert.deepEqual(await copies(context, bucket, own), ['done', 'done']);
      await alice.putBucketAcl(bucket, [grant(BOB, 'READ')]);
      await alice.putObjectAcl(bucket, 'key', []);
      assert.deepEqual(await copies(context, bucket, own), denied);
      await alice.deleteObjectAcl(bucket, 'key');
      assert.deepEqual(await copies(context, bucket, own), ['done', 'done']);
    },
  },
  {
    id: 'object-acl-reads-only',
    name: 'the list of an object replaces that of the bucket only for reads',
    async prove(context) {
      const { alice, bob } = context;
      const bucket = await stored(context);
      await alice.putObjectAcl(bucket, 'key', [grant(BOB, 'FULL_CONTROL')]);
      const upload = await alice.initiateUpload(bucket, 'key');
      await fails(bob.putObject(bucket, 'key', ''), 'AccessDenied');
      if (context.traits.offers.has('append')) {
        await fails(bob.appendObject(bucket, 'key', ''), 'AccessDenied');
      }
      await fails(bob.deleteObject(bucket, 'key'), 'AccessDenied');
      await fails(bob.initiateUpload(bucket, 'key'), 'AccessDenied');
      await fails(bob.listParts(upload), 'AccessDenied');
      await fails(bob.listObjects(bucket), 'AccessDenied');
      assert.equal(await textOf(alice, bucket, 'key'), 'mine');
      await alice.putObjectAcl(bucket, 'key', []);
      await alice.putBucketAcl(bucket, [grant(BOB, 'WRITE', 'READ')]);
      await fails(bob.getObject(bucket, 'key'), 'AccessDenied');
      await bob.listParts(upload);
      await bob.deleteObject(bucket, 'key');
      await absent(alice, bucket, 'key');
    },
  },
  {
    id: 'object-acl-full-control',
    name: 'FULL_CONTROL on an object allows reading it, and reading, changing and deleting its list',
    async prove(context) {
      const { alice, bob, anonymous } = context;
      const bucket = await stored(context);
      const list = [grant(BOB, 'FULL_CONTROL')];
      await alice.putObjectAcl(bucket, 'key', list);
      assert.deepEqual(await reads(bob, bucket), ALLOWED);
      assert.deepEqual(await bob.getObjectAcl(bucket, 'key'), list);
      await bob.putObjectAcl(bucket, 'key', [...list, grant(EVERYBODY, 'READ')]);
      assert.deepEqual(await reads(anonymous, bucket), ALLOWED);
      await fails(anonymous.putObjectAcl(bucket, 'key', list), 'AccessDenied');
      await bob.deleteObjectAcl(bucket, 'key');
      await fails(bob.putObjectAcl(bucket, 'key', list), 'AccessDenied');
      assert.deepEqual(await reads(bob, bucket), DENIED);
    },
  },
  {
    id: 'object-acl-read-is-not-control',
    name: 'a caller with only READ on an object can neither read nor change its list',
    async prove(context) {
      const { alice, bob } = context;
      const bucket = await stored(context);
      await alice.putObjectAcl(bucket, 'key', [grant(BOB, 'READ')]);
      await fails(bob.getObjectAcl(bucket, 'key'), 'AccessDenied');
      await fails(bob.deleteObjectAcl(bucket, 'key'), 'AccessDenied');
      const list = [grant(BOB, 'FULL_CONTROL')];
      await fails(bob.putObjectAcl(bucket, 'key', list), 'AccessDenied');
      assert.deepEqual(await alice.getObjectAcl(bucket, 'key'), [grant(BOB, 'READ')]);
    },
  },
  {
    id: 'object-acl-follows',
    name: 'the list of an object stays with it when it is renamed, and is removed when it is replaced',
    needs: ['rename'],
    async prove(context) {
      const { alice, bob } = context;
      const bucket = await stored(context);
      await alice.putObjectAcl(bucket, 'key', [grant(BOB, 'READ')]);
      await alice.renameObject(bucket, 'key', 'new');
      assert.deepEqual(await reads(bob, bucket, 'new'), ALLOWED);
      assert.deepEqual(await reads(bob, bucket), DENIED);
      await alice.putObject(bucket, 'new', 'another');
      assert.deepEqual(await reads(bob, bucket, 'new'), DENIED);
      await fails(alice.getObjectAcl(bucket, 'new'), 'ObjectAclNotExists');
    },
  },
  {
    id: 'object-acl-not-copied',
    name: 'a copy does not inherit the list of its source, and a copy onto itself keeps it',
    async prove(context) {
      const { alice, anonymous } = context;
      const bucket = await stored(context);
      const source = { bucket, key: 'key' };
      await alice.putObjectAcl(bucket, 'key', [grant(EVERYBODY, 'READ')]);
      await alice.copyObject(source, bucket, 'copy');
      await fails(alice.getObjectAcl(bucket, 'copy'), 'ObjectAclNotExists');
      assert.deepEqual(await reads(anonymous, bucket, 'copy'), DENIED);
      const replace = { directive: 'replace', metadata: { a: '1' } };
      await alice.copyObject(source, bucket, 'key', replace);
      assert.deepEqual(await reads(anonymous, bucket), ALLOWED);
    },
  },
];

export const cases: readonly Case[] = all.map((one) => ({
  ...one,
  needs: [...NEEDS, ...(one.needs ?? [])],
}));
