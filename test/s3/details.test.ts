import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  GetBucketAclCommand,
  GetBucketCorsCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutBucketAclCommand,
  PutBucketCorsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import test from 'ava';
import { call } from '../http/raw.js';
import { listen, onKoa } from '../http/servers.js';
import { outcomeOf, serverOfTests } from './servers.js';

const server = await serverOfTests(onKoa);

/** A new bucket of alice. */
async function newBucket(Bucket: string, ACL?: 'public-read') {
  await server.client().send(new CreateBucketCommand({ Bucket, ACL }));
  return Bucket;
}

test('bucket names may have dots in S3, and in no other dialect', async (t) => {
  const alice = server.client();
  const Bucket = await newBucket('photos.example.com');
  await alice.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'A' }));
  const { Body } = await alice.send(new GetObjectCommand({ Bucket, Key: 'a' }));
  t.is(await Body?.transformToString(), 'A');
  const { Buckets = [] } = await alice.send(new ListBucketsCommand({ Prefix: 'photos.' }));
  t.deepEqual(
    Buckets.map(({ Name }) => Name),
    [Bucket],
  );
  const [found] = (await server.storage.listObjects({ bucket: Bucket })).contents;
  t.is(found?.key, 'a');
  for (const name of ['a..b', '.ab', 'ab.', 'a-.b', 'a.-b', '192.168.5.4']) {
    const made = outcomeOf(alice.send(new CreateBucketCommand({ Bucket: name })));
    t.is(await made, '400 InvalidBucketName', name);
  }
});

test('creating a bucket again leaves it unchanged, unless its list would change', async (t) => {
  const [alice, bob] = [server.client(), server.client('bob')];
  const Bucket = await newBucket('again', 'public-read');
  await alice.send(new PutObjectCommand({ Bucket, Key: 'a' }));
  await newBucket('again', 'public-read');
  t.is((await server.storage.listObjects({ bucket: Bucket })).contents.length, 1);
  const differently = alice.send(new CreateBucketCommand({ Bucket }));
  t.is(await outcomeOf(differently), '409 BucketAlreadyExists');
  const bobs = bob.send(new CreateBucketCommand({ Bucket, ACL: 'public-read' }));
  t.is(await outcomeOf(bobs), '409 BucketAlreadyExists');
});

test('only callers who may list a bucket learn that an object is missing', async (t) => {
  const bob = server.client('bob');
  const look = (Bucket: string) => bob.send(new GetObjectCommand({ Bucket, Key: 'missing' }));
  t.is(await outcomeOf(look(await newBucket('listed', 'public-read'))), '404 NoSuchKey');
  t.is(await outcomeOf(look(await newBucket('closed'))), '403 AccessDenied');
  await server.client().send(new PutObjectCommand({ Bucket: 'listed', Key: 'missing' }));
  t.is(await outcomeOf(look('listed')), '403 AccessDenied');
});

test('If-Match on a missing object is NoSuchKey, for an object and for an upload', async (t) => {
  const alice = server.client();
  const about = { Bucket: await newBucket('matched'), Key: 'a' };
  const put = (IfMatch: string) => alice.send(new PutObjectCommand({ ...about, IfMatch }));
  t.is(await outcomeOf(put('*')), '404 NoSuchKey');
  const { UploadId } = await alice.send(new CreateMultipartUploadCommand(about));
  const part = { ...about, UploadId, PartNumber: 1 };
  const { ETag } = await alice.send(new UploadPartCommand({ ...part, Body: 'x' }));
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  const complete = (IfMatch: string) =>
    alice.send(
      new CompleteMultipartUploadCommand({ ...about, UploadId, MultipartUpload, IfMatch }),
    );
  t.is(await outcomeOf(complete('*')), '404 NoSuchKey');
  await alice.send(new PutObjectCommand(about));
  t.is(await outcomeOf(put('"other"')), '412 PreconditionFailed');
  t.is(await outcomeOf(complete('"other"')), '412 PreconditionFailed');
});

test('the range of a copied part must lie within its source', async (t) => {
  const alice = server.client();
  const about = { Bucket: await newBucket('ranges'), Key: 'target' };
  await alice.send(new PutObjectCommand({ ...about, Key: 'source', Body: '12345' }));
  const { UploadId } = await alice.send(new CreateMultipartUploadCommand(about));
  const copy = (CopySourceRange: string) =>
    alice.send(
      new UploadPartCopyCommand({
        ...{ ...about, UploadId, PartNumber: 1, CopySourceRange },
        CopySource: `${about.Bucket}/source`,
      }),
    );
  t.is(await outcomeOf(copy('bytes=0-5')), '416 InvalidRange');
  t.is(await outcomeOf(copy('bytes=0-4')), 'done');
});

test('user metadata may be empty', async (t) => {
  const about = { Bucket: await newBucket('metadata'), Key: 'a' };
  await server.client().send(new PutObjectCommand({ ...about, Metadata: { none: '', one: '1' } }));
  const { Metadata } = await server.client().send(new GetObjectCommand(about));
  t.deepEqual(Metadata, { none: '', one: '1' });
});

test('anonymous callers cannot read what authenticated users may read', async (t) => {
  const [alice, bob] = [server.client(), server.client('bob')];
  const Bucket = 'users';
  await alice.send(new CreateBucketCommand({ Bucket, ACL: 'authenticated-read' }));
  const about = { Bucket, Key: 'a' };
  await alice.send(new PutObjectCommand({ ...about, Body: 'x', ACL: 'authenticated-read' }));
  await alice.send(new PutObjectCommand({ Bucket, Key: 'closed', Body: 'x' }));
  const { Body } = await bob.send(new GetObjectCommand(about));
  t.is(await Body?.transformToString(), 'x');
  t.is(await outcomeOf(bob.send(new ListObjectsV2Command({ Bucket }))), 'done');
  const closed = bob.send(new GetObjectCommand({ Bucket, Key: 'closed' }));
  t.is(await outcomeOf(closed), '403 AccessDenied');
  for (const path of ['/users', '/users/a']) t.is((await fetch(server.url + path)).status, 403);
  const URI = 'http://acs.amazonaws.com/groups/global/AuthenticatedUsers';
  for (const command of [new GetBucketAclCommand({ Bucket }), new GetObjectAclCommand(about)]) {
    const { Grants = [] } = await alice.send(command as GetBucketAclCommand);
    const [found] = Grants.filter(({ Grantee }) => Grantee?.Type === 'Group');
    t.deepEqual([found?.Grantee?.URI, found?.Permission], [URI, 'READ']);
    const AccessControlPolicy = { Grants };
    const again = new PutBucketAclCommand({ Bucket, AccessControlPolicy });
    t.is(await outcomeOf(alice.send(again)), 'done');
  }
});

test('CORS rules keep their IDs, and every response to an allowed page lists their methods', async (t) => {
  const Bucket = await newBucket('cors', 'public-read');
  const rule = { AllowedOrigins: ['https://*.example'], AllowedMethods: ['GET', 'PUT'] };
  const CORSRules = [{ ID: 'a', ...rule }, rule];
  const set = { Bucket, CORSConfiguration: { CORSRules } };
  await server.client().send(new PutBucketCorsCommand(set));
  const found = await server.client().send(new GetBucketCorsCommand({ Bucket }));
  t.deepEqual(found.CORSRules, CORSRules);
  for (const path of ['', '/missing']) {
    const headers = { origin: 'https://a.example' };
    const { headers: answered } = await fetch(`${server.url}/cors${path}`, { headers });
    t.is(answered.get('access-control-allow-origin'), 'https://a.example');
    t.is(answered.get('access-control-allow-methods'), 'GET, PUT');
  }
  const other = await fetch(`${server.url}/cors`, { headers: { origin: 'https://other.test' } });
  t.is(other.headers.get('access-control-allow-methods'), null);
  const { origin, close } = await listen(onKoa(server.storage, {}));
  t.teardown(close);
  const { body } = await call(origin, 'GET', '/cors?cors', { as: 'alice' });
  t.false(`${body}`.includes('ruleId'));
});

test('a bucket with a dot is removed like any other', async (t) => {
  const Bucket = await newBucket('gone.soon');
  await server.client().send(new DeleteBucketCommand({ Bucket }));
  const head = server.client().send(new HeadBucketCommand({ Bucket }));
  t.regex(await outcomeOf(head), /^404/);
});
