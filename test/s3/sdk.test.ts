import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  ListPartsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import test from 'ava';
import { onKoa } from '../http/servers.js';
import { outcomeOf, serverOfTests } from './servers.js';

const server = await serverOfTests(onKoa);

test('the JavaScript SDK stores, reads, lists and deletes objects with its default settings', async (t) => {
  const s3 = server.client();
  const Bucket = 'first';
  await s3.send(new CreateBucketCommand({ Bucket }));
  const taken = outcomeOf(server.client('bob').send(new CreateBucketCommand({ Bucket })));
  t.is(await taken, '409 BucketAlreadyExists');
  const { LocationConstraint } = await s3.send(new GetBucketLocationCommand({ Bucket }));
  t.falsy(LocationConstraint);
  const { BucketRegion } = await s3.send(new HeadBucketCommand({ Bucket }));
  t.is(BucketRegion, 'us-east-1');

  const Key = 'a/ü b+c&<>.txt';
  const put = await s3.send(
    new PutObjectCommand({
      ...{ Bucket, Key, Body: 'hello', ContentType: 'text/plain' },
      ...{ Metadata: { colour: 'blue' }, StorageClass: 'GLACIER_IR' },
    }),
  );
  t.is(put.ETag, '"5d41402abc4b2a76b9719d911017c592"');
  t.is(put.ChecksumCRC32, 'NhCmhg==');
  const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
  t.is(await got.Body?.transformToString(), 'hello');
  t.like(got, { ContentType: 'text/plain', StorageClass: 'GLACIER_IR', ETag: put.ETag });
  t.deepEqual(got.Metadata, { colour: 'blue' });
  const part = await s3.send(new GetObjectCommand({ Bucket, Key, Range: 'bytes=1-2' }));
  t.is(await part.Body?.transformToString(), 'el');
  t.is(part.ContentRange, 'bytes 1-2/5');
  t.is((await s3.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength, 5);
  const missing = outcomeOf(s3.send(new GetObjectCommand({ Bucket, Key: 'none' })));
  t.is(await missing, '404 NoSuchKey');

  await s3.send(
    new CopyObjectCommand({ Bucket, Key: 'b', CopySource: encodeURI(`${Bucket}/${Key}`) }),
  );
  const page = await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1, FetchOwner: true }));
  t.deepEqual(
    page.Contents?.map((item) => [item.Key, item.Size, item.Owner?.ID]),
    [[Key, 5, 'u-alice']],
  );
  const { NextContinuationToken: ContinuationToken } = page;
  const next = await s3.send(new ListObjectsV2Command({ Bucket, ContinuationToken }));
  t.deepEqual(
    next.Contents?.map((item) => item.Key),
    ['b'],
  );
  const folders = await s3.send(new ListObjectsCommand({ Bucket, Delimiter: '/' }));
  t.deepEqual(folders.CommonPrefixes, [{ Prefix: 'a/' }]);
  const { Versions } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
  t.deepEqual(
    Versions?.map((item) => item.VersionId),
    ['null', 'null'],
  );
  const ObjectAttributes = ['ETag', 'ObjectSize', 'Checksum'] as const;
  const input = { Bucket, Key, ObjectAttributes: [...ObjectAttributes] };
  const attributes = await s3.send(new GetObjectAttributesCommand(input));
  t.is(attributes.ObjectSize, 5);
  t.is(attributes.Checksum?.ChecksumCRC32, 'NhCmhg==');

  t.is(await outcomeOf(s3.send(new DeleteBucketCommand({ Bucket }))), '409 BucketNotEmpty');
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'none' }));
  const Objects = [{ Key }, { Key: 'b' }, { Key: 'none' }];
  const deleted = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  t.deepEqual(
    deleted.Deleted?.map((item) => item.Key),
    [Key, 'b', 'none'],
  );
  await s3.send(new DeleteBucketCommand({ Bucket }));
  const { Buckets = [], Owner } = await s3.send(new ListBucketsCommand({}));
  t.false(Buckets.some(({ Name }) => Name === Bucket));
  t.deepEqual(Owner, { ID: 'u-alice', DisplayName: 'Alice' });
});

test('a stream is uploaded in parts, each verified, and is one object', async (t) => {
  const s3 = server.client();
  const Bucket = 'streams';
  await s3.send(new CreateBucketCommand({ Bucket }));
  const bytes = Buffer.alloc(11 * 2 ** 20, 'abcdefg');
  const Body = Readable.from(bytes.toString().match(/.{1,1000000}/gs) as string[], {
    objectMode: false,
  });
  const upload = new Upload({ client: s3, params: { Bucket, Key: 'big', Body } });
  const { ETag } = await upload.done();
  t.regex(ETag ?? '', /^"[0-9a-f]{32}-3"$/);
  const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'big' }));
  t.true(bytes.equals(Buffer.from((await got.Body?.transformToByteArray()) ?? [])));

  const Stream = Readable.from([Buffer.from('hel'), Buffer.from('lo')]);
  const small = { Bucket, Key: 'small', Body: Stream, ContentLength: 5 };
  t.is((await s3.send(new PutObjectCommand(small))).ChecksumCRC32, 'NhCmhg==');
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'left' }));
  const { Parts } = await s3.send(new ListPartsCommand({ Bucket, Key: 'left', UploadId }));
  t.is(Parts, undefined);
});

for (const ChecksumAlgorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const) {
  test(`${ChecksumAlgorithm} of a body is compared and returned`, async (t) => {
    const s3 = server.client();
    const Bucket = `sum-${ChecksumAlgorithm.toLowerCase()}`;
    await s3.send(new CreateBucketCommand({ Bucket }));
    const field = `Checksum${ChecksumAlgorithm}` as 'ChecksumCRC32';
    const object = { Bucket, Key: 'a', Body: 'hello' };
    const put = await s3.send(new PutObjectCommand({ ...object, ChecksumAlgorithm }));
    t.truthy(put[field]);
    const Body = 'other';
    const wrong = new PutObjectCommand({ ...object, Key: 'b', Body, [field]: put[field] });
    t.is(await outcomeOf(s3.send(wrong)), '400 BadDigest');
    const trailing = Readable.from([Buffer.from('hello')]);
    const streamed = { ...object, Body: trailing, ContentLength: 5, ChecksumAlgorithm };
    t.is((await s3.send(new PutObjectCommand(streamed)))[field], put[field]);
    const missing = outcomeOf(s3.send(new GetObjectCommand({ Bucket, Key: 'b' })));
    t.is(await missing, '404 NoSuchKey');
  });
}

test('presigned links read and write with the signed headers', async (t) => {
  const s3 = server.client();
  const Bucket = 'links';
  await s3.send(new CreateBucketCommand({ Bucket }));
  const Metadata = { colour: 'red' };
  const put = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'a b', Metadata }));
  t.is((await fetch(put, { method: 'PUT', body: 'text' })).status, 200);
  const overrides = { ResponseContentDisposition: 'attachment' };
  const get = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'a b', ...overrides }));
  const answer = await fetch(get, { headers: { 'sec-fetch-site': 'cross-site' } });
  t.is(await answer.text(), 'text');
  t.is(answer.headers.get('content-disposition'), 'attachment');
  t.is(answer.headers.get('x-amz-meta-colour'), 'red');
  // A proxy may ask for a password, and some signers write names in lower case.
  const behind = { 'sec-fetch-site': 'cross-site', authorization: 'Basic YTpi' };
  t.is((await fetch(get, { headers: behind })).status, 200);
  const lower = get.replace('X-Amz-Signature', 'x-amz-signature');
  t.is((await fetch(lower, { headers: { 'sec-fetch-site': 'cross-site' } })).status, 200);
  t.is((await fetch(`${get}0`)).status, 403);
  const forged = `${get.replace('/a%20b?', '/other?')}`;
  t.regex(await (await fetch(forged)).text(), /<Code>SignatureDoesNotMatch<\/Code>/);
  const copy = await fetch(put, {
    method: 'PUT',
    headers: { 'x-amz-copy-source': `/${Bucket}/a%20b` },
  });
  t.is(copy.status, 403, 'a header that nobody signed');
});
