import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetBucketAclCommand,
  GetObjectCommand,
  PutBucketAclCommand,
  PutObjectAclCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import test from 'ava';
import { carriers } from '../http/carriers.js';
import { outcomeOf, serverOfTests } from './servers.js';

const Bucket = 'bucket';
const object = { Bucket, Key: 'key', Body: 'data' };

const server = await serverOfTests(carriers.express5);
test.before(async () => {
  const alice = server.client();
  await alice.send(new CreateBucketCommand({ Bucket }));
  await alice.send(new PutObjectCommand(object));
});

test('the id * is not a user: everyone is a group', async (t) => {
  const alice = server.client();
  for (const who of ['id="*"', 'id=*', 'id="u-bob", id="*"', 'id=""']) {
    const outcomes = await Promise.all([
      outcomeOf(alice.send(new PutBucketAclCommand({ Bucket, GrantRead: who }))),
      outcomeOf(alice.send(new PutBucketAclCommand({ Bucket, GrantFullControl: who }))),
      outcomeOf(alice.send(new PutObjectAclCommand({ ...object, GrantRead: who }))),
      outcomeOf(alice.send(new PutObjectCommand({ ...object, GrantFullControl: who }))),
    ]);
    t.deepEqual(new Set(outcomes), new Set(['400 InvalidArgument']), who);
  }
  t.is(
    await outcomeOf(server.client('bob').send(new GetObjectCommand(object))),
    '403 AccessDenied',
  );
});

test('an object is created with a canned list or with grants, but not with both', async (t) => {
  const alice = server.client();
  const GrantRead = 'id="u-bob"';
  for (const grants of [{ GrantRead }, { GrantFullControl: GrantRead }]) {
    for (const ACL of ['private', 'public-read', 'authenticated-read'] as const) {
      const both = { ...object, ACL, ...grants };
      t.is(await outcomeOf(alice.send(new PutObjectCommand(both))), '400 InvalidRequest');
      t.is(
        await outcomeOf(alice.send(new CreateMultipartUploadCommand(both))),
        '400 InvalidRequest',
      );
    }
  }
  await alice.send(new PutObjectCommand({ ...object, Key: 'granted', GrantRead }));
  const granted = { ...object, Key: 'granted' };
  t.is(await outcomeOf(server.client('bob').send(new GetObjectCommand(granted))), 'done');
});

test('a permission is granted to at most 100 users, and none of them is left out', async (t) => {
  const alice = server.client();
  const listed = (count: number) => Array.from({ length: count }, (_, at) => `id="u-${at}"`).join();
  const fresh = { ...object, Key: 'fresh' };
  for (const count of [101, 201, 400]) {
    const GrantRead = listed(count);
    const outcomes = [
      await outcomeOf(alice.send(new CreateBucketCommand({ Bucket: 'fresh', GrantRead }))),
      await outcomeOf(alice.send(new PutBucketAclCommand({ Bucket, GrantWrite: GrantRead }))),
      await outcomeOf(alice.send(new PutBucketAclCommand({ Bucket, GrantRead }))),
      await outcomeOf(alice.send(new PutObjectAclCommand({ ...object, GrantRead }))),
      await outcomeOf(alice.send(new PutObjectCommand({ ...fresh, GrantRead }))),
    ];
    t.deepEqual(new Set(outcomes), new Set(['400 InvalidArgument']), `${count}`);
  }
  const shown = async () => {
    const { Owner, Grants = [] } = await alice.send(new GetBucketAclCommand({ Bucket }));
    return { Owner, Grants };
  };
  for (const GrantWrite of [undefined, listed(100)]) {
    await alice.send(new PutBucketAclCommand({ Bucket, GrantRead: listed(100), GrantWrite }));
    const policy = await shown();
    t.is(policy.Grants.length, GrantWrite === undefined ? 101 : 201);
    // What is shown can be sent back.
    await alice.send(new PutBucketAclCommand({ Bucket, AccessControlPolicy: policy }));
    t.deepEqual(await shown(), policy);
  }
  const policy = await shown();
  const more = { Grantee: { Type: 'CanonicalUser', ID: 'u-100' }, Permission: 'READ' } as const;
  const long = { ...policy, Grants: [...policy.Grants, more] };
  t.is(
    await outcomeOf(alice.send(new PutBucketAclCommand({ Bucket, AccessControlPolicy: long }))),
    '400 InvalidArgument',
  );
  t.deepEqual(await shown(), policy);
  await alice.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }));
});
