import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import { ALICE, BOB, EVERYBODY, grant } from '../tools.js';
import type { Grant } from '../values.js';

const OWN = grant(ALICE, 'FULL_CONTROL');

/** The grants that GetBucketAcl returns for each canned list. */
const CANNED = {
  private: [OWN],
  'public-read': [OWN, grant(EVERYBODY, 'READ')],
  'public-read-write': [OWN, grant(EVERYBODY, 'READ', 'WRITE')],
};

const UNKNOWN = [
  ...['Private', 'PUBLIC-READ', 'public-write', 'no-such-list', 'bucket-owner-reads'],
  ...['public-read, private', 'true', '*'],
];

export const cases: readonly Case[] = [
  {
    id: 'bucket-acl-default',
    name: 'GetBucketAcl of a new bucket returns only its owner, with FULL_CONTROL',
    async prove({ alice, newBucket }) {
      const list = await alice.getBucketAcl(await newBucket());
      assert.deepEqual(list, { ownerId: ALICE, grants: [OWN] });
    },
  },
  {
    id: 'bucket-acl-canned',
    name: 'PutBucketAcl accepts a canned list, and GetBucketAcl returns its grants',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const [canned, grants] of Object.entries(CANNED)) {
        await alice.putBucketAcl(bucket, canned);
        assert.deepEqual(await alice.getBucketAcl(bucket), { ownerId: ALICE, grants });
      }
    },
  },
  {
    id: 'bucket-acl-at-creation',
    name: 'PutBucket accepts the same canned lists',
    async prove({ alice, newName }) {
      const bucket = newName();
      for (const [acl, grants] of Object.entries(CANNED)) {
        await alice.createBucket(bucket, { acl });
        assert.deepEqual((await alice.getBucketAcl(bucket)).grants, grants);
        await alice.deleteBucket(bucket);
      }
      for (const acl of UNKNOWN) {
        await fails(alice.createBucket(bucket, { acl }), 'InvalidArgument', acl);
        await fails(alice.headBucket(bucket), 'NoSuchBucket');
      }
    },
  },
  {
    id: 'bucket-acl-unknown-canned',
    name: 'an unknown canned list, or one in different case, is 400 InvalidArgument',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putBucketAcl(bucket, 'public-read');
      for (const canned of UNKNOWN) {
        await fails(alice.putBucketAcl(bucket, canned), 'InvalidArgument', canned);
      }
      assert.deepEqual((await alice.getBucketAcl(bucket)).grants, CANNED['public-read']);
    },
  },
  {
    id: 'bucket-acl-grants',
    name: 'grants are returned as they were set, in the same order',
    needs: ['grant-rules'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const grants: Grant[] = [
        { ...grant(BOB, 'WRITE', 'READ', 'LIST'), effect: 'Deny' },
        { grantees: [BOB, 'u-carol'], permissions: ['MODIFY'] },
        { ...grant(EVERYBODY, 'READ'), resources: [`${bucket}/a*`, `${bucket}/b`] },
        { ...grant('u-\u4f60 "x"', 'FULL_CONTROL'), exceptResources: [`${bucket}/*.txt`] },
        { ...grant(BOB, 'READ'), effect: 'Allow' },
      ];
      await alice.putBucketAcl(bucket, grants);
      assert.deepEqual(await alice.getBucketAcl(bucket), { ownerId: ALICE, grants });
    },
  },
  {
    id: 'bucket-acl-replaces',
    name: 'a list, canned or not, replaces the previous one entirely',
    needs: ['exact-lists'],
    async prove({ alice, bob, newBucket }) {
      const bucket = await newBucket();
      const shown = async () => (await alice.getBucketAcl(bucket)).grants;
      await alice.putBucketAcl(bucket, [grant(BOB, 'READ'), grant(BOB, 'WRITE')]);
      await alice.putBucketAcl(bucket, [grant(BOB, 'WRITE')]);
      assert.deepEqual(await shown(), [grant(BOB, 'WRITE')]);
      await alice.putBucketAcl(bucket, 'public-read');
      assert.deepEqual(await shown(), CANNED['public-read']);
      await alice.putBucketAcl(bucket, []);
      assert.deepEqual(await shown(), []);
      await fails(bob.listObjects(bucket), 'AccessDenied');
    },
  },
  {
    id: 'bucket-acl-ends',
    name: 'a bucket that is created again does not inherit the list of the deleted one',
    async prove({ alice, anonymous, newBucket }) {
      const bucket = await newBucket();
      await alice.putBucketAcl(bucket, [grant(EVERYBODY, 'FULL_CONTROL')]);
      await alice.deleteBucket(bucket);
      await alice.createBucket(bucket);
      assert.deepEqual((await alice.getBucketAcl(bucket)).grants, [OWN]);
      await fails(anonymous.listObjects(bucket), 'AccessDenied');
    },
  },
  {
    id: 'bucket-acl-no-bucket',
    name: 'the list of a bucket that does not exist is 404 NoSuchBucket for every caller',
    async prove({ alice, bob, anonymous, newName }) {
      const bucket = newName();
      for (const caller of [alice, bob, anonymous]) {
        await fails(caller.getBucketAcl(bucket), 'NoSuchBucket');
        await fails(caller.putBucketAcl(bucket, []), 'NoSuchBucket');
      }
    },
  },
  {
    id: 'bucket-acl-too-many',
    name: 'a list of a bucket or an object may have 100 grants; 101 are rejected',
    needs: ['exact-lists'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', '');
      const grants = Array.from({ length: 101 }, (_, at) => grant(`u-${at}`, 'READ'));
      await alice.putBucketAcl(bucket, grants.slice(1));
      await alice.putObjectAcl(bucket, 'key', grants.slice(1));
      await fails(alice.putBucketAcl(bucket, grants), 'InvalidArgument');
      await fails(alice.putObjectAcl(bucket, 'key', grants), 'InvalidArgument');
      assert.deepEqual((await alice.getBucketAcl(bucket)).grants, grants.slice(1));
      assert.deepEqual(await alice.getObjectAcl(bucket, 'key'), grants.slice(1));
    },
  },
  {
    id: 'bucket-acl-by-grantee',
    name: 'a grantee with FULL_CONTROL may change the list, but the owner stays the same',
    async prove({ alice, bob, newBucket }) {
      const bucket = await newBucket();
      await alice.putBucketAcl(bucket, [grant(BOB, 'FULL_CONTROL')]);
      await bob.putBucketAcl(bucket, 'private');
      assert.deepEqual(await alice.getBucketAcl(bucket), { ownerId: ALICE, grants: [OWN] });
      await fails(bob.getBucketAcl(bucket), 'AccessDenied');
    },
  },
];
