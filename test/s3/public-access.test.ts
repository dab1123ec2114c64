import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketOwnershipControlsCommand,
  DeletePublicAccessBlockCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyStatusCommand,
  GetObjectCommand,
  GetPublicAccessBlockCommand,
  ListObjectsV2Command,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { presignS3 } from '@bucketware/signature';
import test from 'ava';
import { call, dial } from '../http/raw.js';
import { listen, onKoa } from '../http/servers.js';
import { KEYS, outcomeOf, serverOfTests } from './servers.js';

const server = await serverOfTests(onKoa);

const DENIED = '403 AccessDenied';

async function newBucket(Bucket: string, ACL?: 'public-read') {
  await server.client().send(new CreateBucketCommand({ Bucket, ACL }));
  return Bucket;
}

const block = (Bucket: string, PublicAccessBlockConfiguration: object) =>
  server.client().send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration }));

test('a public access block is returned as it was set, only to the owner, and can be removed', async (t) => {
  const Bucket = await newBucket('shown');
  const get = (user: 'alice' | 'bob') =>
    server.client(user).send(new GetPublicAccessBlockCommand({ Bucket }));
  t.is(await outcomeOf(get('alice')), '404 NoSuchPublicAccessBlockConfiguration');
  const set = { BlockPublicAcls: true, BlockPublicPolicy: true };
  await block(Bucket, set);
  const { PublicAccessBlockConfiguration: shown } = await get('alice');
  t.deepEqual(shown, { ...set, IgnorePublicAcls: false, RestrictPublicBuckets: false });
  t.is(await outcomeOf(get('bob')), DENIED);
  const remove = new DeletePublicAccessBlockCommand({ Bucket });
  t.is(await outcomeOf(server.client('bob').send(remove)), DENIED);
  await server.client().send(remove);
  t.is(await outcomeOf(get('alice')), '404 NoSuchPublicAccessBlockConfiguration');
});

test('BlockPublicAcls rejects public lists in every dialect, and accepts others', async (t) => {
  const alice = server.client();
  const about = { Bucket: await newBucket('blocked', 'public-read'), Key: 'a' };
  await alice.send(new PutObjectCommand({ ...about, Body: 'x', ACL: 'public-read' }));
  await block(about.Bucket, { BlockPublicAcls: true });
  for (const ACL of ['public-read', 'public-read-write', 'authenticated-read'] as const) {
    const attempts = [
      alice.send(new PutBucketAclCommand({ Bucket: about.Bucket, ACL })),
      alice.send(new PutObjectAclCommand({ ...about, ACL })),
      alice.send(new PutObjectCommand({ ...about, Key: 'b', ACL })),
    ];
    for (const attempt of attempts) t.is(await outcomeOf(attempt), DENIED, ACL);
  }
  await alice.send(new PutObjectCommand({ ...about, Key: 'c', ACL: 'private' }));
  const { origin, close } = await listen(onKoa(server.storage, {}));
  t.teardown(close);
  const headers = { 'x-svc-acl': 'public-read', 'content-length': 0 };
  t.is((await call(origin, 'PUT', '/blocked/b', { as: 'alice', headers })).status, 403);
  const set = { bucket: 'blocked', key: 'c', acl: 'public-read' } as const;
  await t.throwsAsync(server.storage.putObjectAcl(set), { message: /Public access is blocked/ });
  t.is((await fetch(`${server.url}/blocked/a`)).status, 200);
});

test('IgnorePublicAcls disables public lists, and nothing else', async (t) => {
  const [alice, bob] = [server.client(), server.client('bob')];
  const about = { Bucket: await newBucket('ignored', 'public-read'), Key: 'a' };
  const put = (Key: string, more: object) =>
    alice.send(new PutObjectCommand({ ...about, Key, Body: 'x', ...more }));
  await put('a', { ACL: 'public-read' });
  await put('users', { ACL: 'authenticated-read' });
  await put('bobs', { GrantRead: 'id=u-bob' });
  const status = async () => {
    const command = new GetBucketPolicyStatusCommand({ Bucket: about.Bucket });
    return (await alice.send(command)).PolicyStatus?.IsPublic;
  };
  const read = (Key: string) => outcomeOf(bob.send(new GetObjectCommand({ ...about, Key })));
  const list = () => outcomeOf(bob.send(new ListObjectsV2Command({ Bucket: about.Bucket })));
  t.deepEqual([await status(), await list(), await read('a')], [true, 'done', 'done']);
  t.is((await fetch(`${server.url}/ignored/a`)).status, 200);

  await block(about.Bucket, { IgnorePublicAcls: true });
  t.deepEqual([await status(), await list()], [false, DENIED]);
  t.deepEqual([await read('a'), await read('users')], [DENIED, DENIED]);
  t.is((await fetch(`${server.url}/ignored/a`)).status, 403);
  t.is(await read('bobs'), 'done');
  t.is(await outcomeOf(alice.send(new GetObjectCommand(about))), 'done');
});

test('BucketOwnerEnforced disables all lists, and rejects new ones', async (t) => {
  const [alice, bob] = [server.client(), server.client('bob')];
  const about = { Bucket: await newBucket('enforced', 'public-read'), Key: 'a' };
  await alice.send(new PutObjectCommand({ ...about, Body: 'x', ACL: 'public-read' }));
  await alice.send(new PutObjectCommand({ ...about, Key: 'b', Body: 'x', GrantRead: 'id=u-bob' }));
  const Bucket = about.Bucket;
  const enforce = (ObjectOwnership: 'BucketOwnerEnforced' | 'ObjectWriter') => {
    const OwnershipControls = { Rules: [{ ObjectOwnership }] };
    return alice.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls }));
  };
  const get = () => alice.send(new GetBucketOwnershipControlsCommand({ Bucket }));
  const set = (ACL: 'private' | 'public-read') =>
    outcomeOf(alice.send(new PutBucketAclCommand({ Bucket, ACL })));
  t.is(await outcomeOf(enforce('BucketOwnerEnforced')), '400 InvalidBucketAclWithObjectOwnership');
  t.is(await outcomeOf(enforce('ObjectWriter')), '501 NotImplemented');
  t.is(await outcomeOf(get()), '404 OwnershipControlsNotFoundError');
  await set('private');
  await enforce('BucketOwnerEnforced');
  t.is((await get()).OwnershipControls?.Rules?.[0]?.ObjectOwnership, 'BucketOwnerEnforced');

  const read = (Key: string) => outcomeOf(bob.send(new GetObjectCommand({ ...about, Key })));
  t.deepEqual([await read('a'), await read('b')], [DENIED, DENIED]);
  t.is((await fetch(`${server.url}/enforced/a`)).status, 403);
  const put = (more: object) =>
    outcomeOf(alice.send(new PutObjectCommand({ ...about, Key: 'c', Body: 'x', ...more })));
  const refused = '400 AccessControlListNotSupported';
  t.deepEqual([await set('public-read'), await set('private')], [refused, 'done']);
  t.is(await put({ GrantRead: 'id=u-bob' }), refused);
  t.is(await put({ ACL: 'authenticated-read' }), refused);
  t.is(await put({ ACL: 'bucket-owner-full-control' }), 'done');
  const another = { Bucket: 'made-so', ObjectOwnership: 'BucketOwnerEnforced' } as const;
  const open = alice.send(new CreateBucketCommand({ ...another, ACL: 'public-read' }));
  t.is(await outcomeOf(open), '400 InvalidBucketAclWithObjectOwnership');
  await alice.send(new CreateBucketCommand(another));

  await alice.send(new DeleteBucketOwnershipControlsCommand({ Bucket }));
  t.is(await outcomeOf(get()), '404 OwnershipControlsNotFoundError');
  t.is(await read('b'), 'done');
});

test('a public list that arrives while the bucket is being blocked is rejected', async (t) => {
  const Bucket = await newBucket('meanwhile');
  const signer = { accessKey: 'AKALICE', secret: KEYS.alice.secretAccessKey };
  const target = { publicUrl: server.url, method: 'PUT', path: `/${Bucket}/a`, expires: 60 };
  const presigned = { ...target, headers: { 'x-amz-acl': 'public-read' }, now: Date.now() };
  const { host, pathname, search } = new URL(presignS3(signer, presigned));
  const head = [`PUT ${pathname}${search} HTTP/1.1`, `Host: ${host}`, 'Connection: close'];
  const socket = await dial(server.origin);
  socket.write(`${head.join('\r\n')}\r\nx-amz-acl: public-read\r\nContent-Length: 2\r\n\r\na`);
  await sleep(100);
  await block(Bucket, { BlockPublicAcls: true });
  const answer = socket.toArray();
  socket.write('b');
  const text = Buffer.concat(await answer).toString();
  t.regex(text, /^HTTP\/1.1 403 .*Public access is blocked/s);
  t.is((await fetch(`${server.url}/${Bucket}/a`)).status, 403);
});

test('a list whose slow body ends after the bucket is blocked, or has lists disabled, is rejected', async (t) => {
  const { origin, close } = await listen(onKoa(server.storage, {}));
  t.teardown(close);
  const Bucket = await newBucket('dawdles', 'public-read');
  const alice = server.client();
  await alice.send(new DeleteBucketOwnershipControlsCommand({ Bucket }));
  const grants = [{ grantee: [{ id: '*' }], permission: ['READ'] }];
  const json = JSON.stringify({ accessControlList: grants });
  const putAcl = async (meanwhile: () => Promise<unknown>) => {
    const head = [
      `PUT /${Bucket}?acl HTTP/1.1`,
      `Host: ${new URL(origin).host}`,
      'Connection: close',
    ];
    head.push('Authorization: Bearer alice', `Content-Length: ${json.length}`);
    const socket = await dial(origin);
    socket.write(`${head.join('\r\n')}\r\n\r\n${json.slice(0, -1)}`);
    await sleep(100);
    await meanwhile();
    const answer = socket.toArray();
    socket.write(json.slice(-1));
    return Buffer.concat(await answer).toString();
  };
  t.regex(await putAcl(async () => {}), /^HTTP\/1.1 200 /);
  t.regex(await putAcl(() => block(Bucket, { BlockPublicAcls: true })), /^HTTP\/1.1 403 /);
  await alice.send(new DeletePublicAccessBlockCommand({ Bucket }));
  const Rules = [{ ObjectOwnership: 'BucketOwnerEnforced' as const }];
  const enforced = new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls: { Rules } });
  await alice.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }));
  const refused = await putAcl(() => alice.send(enforced));
  t.regex(refused, /^HTTP\/1.1 400 .*AccessControlListNotSupported/s);
});

test('an upload that began with a public list cannot be completed while the bucket is blocked', async (t) => {
  const alice = server.client();
  const about = { Bucket: await newBucket('started-before'), Key: 'a' };
  const start = new CreateMultipartUploadCommand({ ...about, ACL: 'public-read' });
  const { UploadId } = await alice.send(start);
  const part = new UploadPartCommand({ ...about, UploadId, PartNumber: 1, Body: 'x' });
  const { ETag } = await alice.send(part);
  const complete = () =>
    alice.send(
      new CompleteMultipartUploadCommand({
        ...about,
        UploadId,
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
      }),
    );
  await block(about.Bucket, { BlockPublicAcls: true });
  t.is(await outcomeOf(complete()), DENIED);
  t.is((await fetch(`${server.url}/${about.Bucket}/a`)).status, 403);
  await alice.send(new DeletePublicAccessBlockCommand({ Bucket: about.Bucket }));
  await complete();
  t.is((await fetch(`${server.url}/${about.Bucket}/a`)).status, 200);
});
