import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import type { DialectClient } from '../client.js';
import { fails } from '../failure.js';
import { absent, BOB, EVERYBODY, grant, part, textOf } from '../tools.js';
import type { Capability } from '../traits.js';
import type { AclOptions, Grant } from '../values.js';

/** Options of a new object, and the resulting access control list. */
const LISTS: readonly (readonly [AclOptions, readonly Grant[]])[] = [
  [{ acl: 'private' }, []],
  [{ acl: 'public-read' }, [grant(EVERYBODY, 'READ')]],
  [{ grantRead: [BOB] }, [grant(BOB, 'READ')]],
  [{ grantRead: [BOB, 'u-carol'] }, [{ grantees: [BOB, 'u-carol'], permissions: ['READ'] }]],
  [
    { grantFullControl: [BOB, 'u-carol'] },
    [{ grantees: [BOB, 'u-carol'], permissions: ['FULL_CONTROL'] }],
  ],
  [
    { grantRead: [EVERYBODY], grantFullControl: [BOB] },
    [grant(EVERYBODY, 'READ'), grant(BOB, 'FULL_CONTROL')],
  ],
];

const UNKNOWN = ['public-read-write', 'Private', 'PUBLIC-READ', 'x'];

interface Maker {
  readonly name: string;
  readonly needs?: readonly Capability[];
  make(client: DialectClient, bucket: string, options: AclOptions): Promise<unknown>;
}

/** Every action that creates an object. */
const MAKERS: readonly Maker[] = [
  { name: 'PutObject', make: (client, bucket, acl) => client.putObject(bucket, 'key', 'x', acl) },
  {
    ...{ name: 'AppendObject', needs: ['append'] },
    make: (client, bucket, acl) => client.appendObject(bucket, 'key', 'x', undefined, acl),
  },
  {
    name: 'CopyObject',
    async make(client, bucket, acl) {
      await client.putObject(bucket, 'source', 'x');
      return client.copyObject({ bucket, key: 'source' }, bucket, 'key', acl);
    },
  },
  {
    name: 'InitiateMultipartUpload',
    async make(client, bucket, acl) {
      const upload = await client.initiateUpload(bucket, 'key', acl);
      return client.completeUpload(upload, [await part(client, upload, 1, 'x')]);
    },
  },
  {
    name: 'PutObjectAcl',
    async make(client, bucket, acl) {
      await client.putObject(bucket, 'key', 'x');
      return client.putObjectAcl(bucket, 'key', acl);
    },
  },
];

const makers = MAKERS.map(
  ({ name, needs = [], make }): Case => ({
    id: `acl-headers-${name.toLowerCase()}`,
    name: `${name} accepts a canned list, and grants of READ and FULL_CONTROL`,
    needs: ['absent-object-acl', ...needs],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const [options, grants] of LISTS) {
        await make(alice, bucket, options);
        const shown = JSON.stringify(options);
        assert.deepEqual(await alice.getObjectAcl(bucket, 'key'), grants, shown);
        await alice.deleteObject(bucket, 'key');
      }
      for (const acl of UNKNOWN) {
        await fails(make(alice, bucket, { acl }), 'InvalidArgument', acl);
        if (name !== 'PutObjectAcl') await absent(alice, bucket, 'key');
      }
    },
  }),
);

export const cases: readonly Case[] = [
  ...makers,
  {
    id: 'acl-headers-read',
    name: 'anyone can read an object stored as public-read, and only its owner once it is private',
    async prove({ alice, bob, anonymous, newBucket }) {
      const bucket = await newBucket();
      for (const caller of [bob, anonymous]) {
        await alice.putObject(bucket, 'key', 'x', { acl: 'public-read' });
        assert.equal(await textOf(caller, bucket, 'key'), 'x');
        await alice.putObject(bucket, 'key', 'x', { acl: 'private' });
        await fails(caller.getObject(bucket, 'key'), 'AccessDenied');
      }
    },
  },
  {
    id: 'acl-headers-append',
    name: 'later appends ignore these headers, and the access control list of the object stays the same',
    needs: ['append'],
    async prove({ alice, bob, anonymous, newBucket }) {
      const bucket = await newBucket();
      await alice.appendObject(bucket, 'log', 'a', undefined, { grantRead: [BOB] });
      await alice.appendObject(bucket, 'log', 'b', 1, { acl: 'public-read' });
      assert.deepEqual(await alice.getObjectAcl(bucket, 'log'), [grant(BOB, 'READ')]);
      await fails(anonymous.getObject(bucket, 'log'), 'AccessDenied');
      assert.equal(await textOf(bob, bucket, 'log'), 'ab');
    },
  },
  {
    id: 'acl-headers-upload',
    name: 'the access control list of an upload takes effect when the object is created, not before',
    async prove({ alice, anonymous, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'old');
      const upload = await alice.initiateUpload(bucket, 'key', { acl: 'public-read' });
      const listed = await part(alice, upload, 1, 'new');
      await fails(anonymous.getObject(bucket, 'key'), 'AccessDenied');
      await alice.completeUpload(upload, [listed]);
      assert.equal(await textOf(anonymous, bucket, 'key'), 'new');
    },
  },
  {
    id: 'acl-headers-copy-onto-itself',
    name: 'copying an object onto itself sets the access control list in the headers',
    async prove({ alice, bob, anonymous, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'x', { acl: 'public-read' });
      const options = { directive: 'replace', grantRead: [BOB] };
      await alice.copyObject({ bucket, key: 'key' }, bucket, 'key', options);
      assert.deepEqual(await alice.getObjectAcl(bucket, 'key'), [grant(BOB, 'READ')]);
      assert.equal(await textOf(bob, bucket, 'key'), 'x');
      await fails(anonymous.getObject(bucket, 'key'), 'AccessDenied');
    },
  },
];
