import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetBucketAclCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  PutBucketAclCommand,
  PutObjectAclCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import test from 'ava';
import { carriers } from '../http/carriers.js';
import { alice } from '../http/servers.js';
import { outcomeOf, serverOfTests, startS3 } from './servers.js';

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
  for (const GrantFullControl of [undefined, listed(100)]) {
    await alice.send(new PutBucketAclCommand({ Bucket, GrantRead: listed(100), GrantFullControl }));
    const policy = await shown();
    t.is(policy.Grants.length, GrantFullControl === undefined ? 101 : 201);
    // What is shown can be sent back.
    await alice.send(new PutBucketAclCommand({ Bucket, AccessControlPolicy: policy }));
    t.deepEqual(await shown(), policy);
  }
  const policy = await shown();
  for (const Permission of ['READ', 'FULL_CONTROL'] as const) {
    const more = { Grantee: { Type: 'CanonicalUser', ID: 'u-100' }, Permission } as const;
    const long = { ...policy, Grants: [...policy.Grants, more] };
    t.is(
      await outcomeOf(alice.send(new PutBucketAclCommand({ Bucket, AccessControlPolicy: long }))),
      '400 InvalidArgument',
      Permission,
    );
  }
  t.deepEqual(await shown(), policy);
  await alice.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }));
});

test('a user whose id is not ASCII gets the right', async (t) => {
  const alice = server.client();
  const latin1 = (text: string) => Buffer.from(text).toString('latin1');
  const put = (path: string, query: string, headers: Record<string, string>) =>
    fetch(`${server.url}${path}${query}`, {
      method: 'PUT',
      headers: { authorization, ...headers },
    });
  const authorization = 'Bearer alice';
  const listed = async () => {
    const { Grants = [] } = await alice.send(new GetObjectAclCommand(object));
    return Grants.map(({ Grantee }) => Grantee?.ID);
  };
  const grant = 'id="jürgen", id=愛';
  await put('/bucket/key', '?acl', { 'x-amz-grant-read': latin1(grant) });
  t.deepEqual(await listed(), ['jürgen', '愛', 'u-alice']);
  await alice.send(new PutObjectAclCommand({ ...object, ACL: 'private' }));
  const moved = `?acl&x-amz-grant-read=${encodeURIComponent(grant)}`;
  t.is((await put('/bucket/key', moved, {})).status, 200);
  t.deepEqual(await listed(), ['jürgen', '愛', 'u-alice']);
  const owner = { 'x-amz-expected-bucket-owner': latin1('jürgen') };
  t.is((await put('/bucket/other', '', owner)).status, 403);
  await alice.send(new PutObjectAclCommand({ ...object, ACL: 'private' }));
  t.is((await put('/bucket/key', '?acl', { 'x-amz-grant-read': 'id="j\xfcrgen"' })).status, 400);
});

test('the owner of a bucket may have an id that is not ASCII', async (t) => {
  const ü = { ...alice, userId: 'jürgen' };
  const own = await startS3(carriers.express5, { authorize: () => true });
  t.teardown(own.close);
  await own.storage.as(ü).putBucket({ bucket: Bucket });
  for (const [id, status] of [
    ['jürgen', 200],
    ['jurgen', 403],
  ] as const) {
    const headers = { 'x-amz-expected-bucket-owner': Buffer.from(id).toString('latin1') };
    const { status: got } = await fetch(`${own.url}/${Bucket}`, { method: 'HEAD', headers });
    t.is(got, status, id);
  }
});

test('a list of an object is described in one way', async (t) => {
  const alice = server.client();
  for (const given of [{ GrantWrite: 'id="u-bob"' }, { GrantRead: 'id="u-bob"' }]) {
    const both = { ...object, ACL: 'public-read', ...given } as const;
    t.is(await outcomeOf(alice.send(new PutObjectAclCommand(both))), '400 InvalidRequest');
  }
  // WRITE has no meaning on an object.
  await alice.send(new PutObjectAclCommand({ ...object, GrantWrite: 'id="u-bob"' }));
  const { Grants = [] } = await alice.send(new GetObjectAclCommand(object));
  t.is(Grants.length, 1);
});
