import { Readable } from 'node:stream';
import {
  type ChecksumAlgorithm,
  type ChecksumType,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import test from 'ava';
import { onKoa } from '../http/servers.js';
import { outcomeOf, serverOfTests } from './servers.js';

const Bucket = 'checksums';
const PART = 5 * 2 ** 20;

const server = await serverOfTests(onKoa);
// Hashing keeps this process so busy that idle connections may be closed.
const s3 = server.client('alice', { maxAttempts: 3 });
test.before(() => s3.send(new CreateBucketCommand({ Bucket })));

/** Data of one letter each, as in Ceph's tests. */
const BODIES = ['A', 'B', 'C'].map((letter) => Buffer.alloc(PART, letter));

/** The checksums of these parts and of their object, from Ceph's tests. */
const KNOWN = [
  {
    algorithm: 'CRC32',
    type: 'FULL_OBJECT',
    parts: ['JRTCyQ==', 'QoZTGg==', 'YAgjqw=='],
    whole: 'WgDhBQ==',
  },
  {
    algorithm: 'CRC32C',
    type: 'FULL_OBJECT',
    parts: ['MDaLrw==', 'TH4EZg==', 'Z7mBIQ=='],
    whole: 'xU+Krw==',
  },
  {
    algorithm: 'CRC64NVME',
    type: undefined,
    parts: ['L/E4WYn8v98=', 'xW1l19VobYM=', 'cK5MnNaWrW4='],
    whole: 'i+6LR0y3eFo=',
  },
  {
    algorithm: 'SHA1',
    type: 'COMPOSITE',
    parts: [
      'iIaTCGbm+vdVjNqIMF2S0T7ibMk=',
      'LS/TJ32bAVKEwRu+sE3X7awh/lk=',
      '6DDwovUaHwrKNXDMzOGbuvj9kxI=',
    ],
    whole: 'sizjvY4eud3MrcHdZM3cQ/ol39o=-3',
  },
  {
    algorithm: 'SHA256',
    type: undefined,
    parts: [
      '275VF5loJr1YYawit0XSHREhkFXYkkPKGuoK0x9VKxI=',
      'mrHwOfjTL5Zwfj74F05HOQGLdUb7E5szdCbxgUSq6NM=',
      'Vw7oB/nKQ5xWb3hNgbyfkvDiivl+U+/Dft48nfJfDow=',
    ],
    whole: 'uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3',
  },
] as const satisfies readonly {
  algorithm: ChecksumAlgorithm;
  type: ChecksumType | undefined;
  parts: readonly string[];
  whole: string;
}[];

for (const { algorithm, type, parts: sums, whole } of KNOWN) {
  test.serial(
    `${algorithm} of an upload is announced, compared, stored, and returned for the object and its parts`,
    async (t) => {
      const field = `Checksum${algorithm}` as 'ChecksumCRC32';
      const ChecksumType = type ?? (algorithm === 'SHA256' ? 'COMPOSITE' : 'FULL_OBJECT');
      const Key = algorithm;
      const begun = await s3.send(
        new CreateMultipartUploadCommand({
          ...{ Bucket, Key, ChecksumAlgorithm: algorithm, ChecksumType: type },
        }),
      );
      t.like(begun, { ChecksumAlgorithm: algorithm, ChecksumType });
      const upload = { Bucket, Key, UploadId: begun.UploadId };
      const other = algorithm === 'SHA1' ? 'SHA256' : 'SHA1';
      const of = { ...upload, PartNumber: 1, Body: 'x', ChecksumAlgorithm: other } as const;
      t.is(await outcomeOf(s3.send(new UploadPartCommand(of))), '400 InvalidRequest');
      const Parts: { PartNumber: number; ETag: string | undefined; [field]: string }[] = [];
      for (const [at, Body] of BODIES.entries()) {
        const PartNumber = at + 1;
        // The last part has the checksum without the name of its algorithm.
        const sent = at < 2 ? { ChecksumAlgorithm: algorithm } : { [field]: sums[at] };
        const put = await s3.send(new UploadPartCommand({ ...upload, PartNumber, Body, ...sent }));
        t.is(put[field], sums[at]);
        Parts.push({ PartNumber, ETag: put.ETag, [field]: sums[at] as string } as never);
      }
      const listed = await s3.send(new ListPartsCommand(upload));
      t.like(listed, { ChecksumAlgorithm: algorithm, ChecksumType });
      t.deepEqual(
        listed.Parts?.map((part) => part[field]),
        [...sums],
      );
      const { Uploads } = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
      t.like(Uploads?.[0], { ChecksumAlgorithm: algorithm, ChecksumType });

      const complete = (more: object, parts: readonly object[] = Parts) =>
        s3.send(
          new CompleteMultipartUploadCommand({
            ...{ ...upload, MultipartUpload: { Parts: parts as [] } },
            ...more,
          }),
        );
      const swapped = Parts.map((part, at) => ({ ...part, [field]: sums[(at + 1) % 3] }));
      t.is(await outcomeOf(complete({}, swapped)), '400 InvalidPart');
      t.is(await outcomeOf(complete({ [field]: sums[0] })), '400 BadDigest');
      t.is(await outcomeOf(complete({ [field]: 'bad' })), '400 BadDigest');
      t.is(await outcomeOf(complete({ MpuObjectSize: 1 })), '400 InvalidRequest');
      const wrongType = ChecksumType === 'COMPOSITE' ? 'FULL_OBJECT' : 'COMPOSITE';
      t.is(await outcomeOf(complete({ ChecksumType: wrongType })), '400 InvalidRequest');
      const done = await complete({ [field]: whole, ChecksumType, MpuObjectSize: 3 * PART });
      t.like(done, { [field]: whole, ChecksumType });

      const silent = await s3.send(new HeadObjectCommand({ Bucket, Key }));
      t.is(silent[field], undefined);
      const ChecksumMode = 'ENABLED';
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode }));
      t.like(head, { [field]: whole, ChecksumType, ContentLength: 3 * PART });
      t.is(head.PartsCount, undefined);
      const part = { Bucket, Key, PartNumber: 2, ChecksumMode } as const;
      const two = { [field]: sums[1], ChecksumType, ContentLength: PART, PartsCount: 3 };
      t.like(await s3.send(new HeadObjectCommand(part)), two);
      // The SDK compares the bytes with the checksum.
      const got = await s3.send(new GetObjectCommand(part));
      t.like(got, { ...two, ContentRange: `bytes ${PART}-${2 * PART - 1}/${3 * PART}` });
      t.true(BODIES[1]?.equals((await got.Body?.transformToByteArray()) ?? Buffer.alloc(0)));

      const attributes = await s3.send(
        new GetObjectAttributesCommand({
          ...{ Bucket, Key, MaxParts: 1, PartNumberMarker: '1' },
          ObjectAttributes: ['Checksum', 'ObjectParts', 'ObjectSize'],
        }),
      );
      t.like(attributes.Checksum, { [field]: whole, ChecksumType });
      t.like(attributes.ObjectParts, {
        ...{ TotalPartsCount: 3, IsTruncated: true, NextPartNumberMarker: '2', MaxParts: 1 },
        Parts: [{ PartNumber: 2, Size: PART, [field]: sums[1] }],
      });
    },
  );
}

test('an object has the checksum that was sent with it, in a header or a trailer', async (t) => {
  const object = { Bucket, Key: 'object', ChecksumMode: 'ENABLED' } as const;
  const sum = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';
  const trailing = { ContentLength: 5, ChecksumAlgorithm: 'SHA256' } as const;
  for (const sent of [
    { Body: 'hello', ChecksumSHA256: sum },
    { Body: Readable.from([Buffer.from('hello')]), ...trailing },
  ]) {
    const put = await s3.send(new PutObjectCommand({ ...object, ...sent }));
    t.like(put, { ChecksumSHA256: sum, ChecksumType: 'FULL_OBJECT' });
    t.is(put.ChecksumCRC32, undefined);
    const got = await s3.send(new GetObjectCommand(object));
    t.is(await got.Body?.transformToString(), 'hello');
    t.like(got, { ChecksumSHA256: sum, ChecksumType: 'FULL_OBJECT' });
    const ranged = await s3.send(new GetObjectCommand({ ...object, Range: 'bytes=0-1' }));
    t.is(ranged.ChecksumSHA256, undefined);
    await ranged.Body?.transformToString();
    const part = await s3.send(new HeadObjectCommand({ ...object, PartNumber: 1 }));
    t.like(part, { ChecksumSHA256: sum, ContentLength: 5 });
    t.is(part.PartsCount, undefined);
  }
  const none = server.client('alice', { requestChecksumCalculation: 'WHEN_REQUIRED' });
  await none.send(new PutObjectCommand({ ...object, Body: 'hello' }));
  t.like(await s3.send(new HeadObjectCommand(object)), {
    ...{ ChecksumSHA256: undefined, ChecksumCRC32: 'NhCmhg==', ChecksumType: 'FULL_OBJECT' },
  });
  const copy = { ...object, CopySource: `${Bucket}/object`, ChecksumAlgorithm: 'SHA256' } as const;
  const { CopyObjectResult } = await s3.send(new CopyObjectCommand({ ...copy, Key: 'copy' }));
  t.like(CopyObjectResult, { ChecksumSHA256: sum, ChecksumType: 'FULL_OBJECT' });
  const link = await getSignedUrl(s3, new GetObjectCommand({ ...object, Key: 'copy' }));
  t.is((await fetch(link)).headers.get('x-amz-checksum-sha256'), sum);
});

test('invalid part numbers and invalid checksums of an upload are rejected', async (t) => {
  await s3.send(new PutObjectCommand({ Bucket, Key: 'small', Body: 'x' }));
  const get = (more: object) =>
    outcomeOf(s3.send(new GetObjectCommand({ Bucket, Key: 'small', ...more })));
  t.is(await get({ PartNumber: 2 }), '400 InvalidPart');
  t.is(await get({ PartNumber: 0 }), '400 InvalidArgument');
  t.is(await get({ PartNumber: 1, Range: 'bytes=0-0' }), '400 InvalidRequest');
  t.is(await get({ ChecksumMode: 'SOME' }), '400 InvalidArgument');
  const begin = (more: object) =>
    outcomeOf(s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'none', ...more })));
  const [sha256, full] = [{ ChecksumAlgorithm: 'SHA256' }, { ChecksumType: 'FULL_OBJECT' }];
  t.is(await begin({ ...sha256, ...full }), '400 InvalidRequest');
  t.is(
    await begin({ ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'COMPOSITE' }),
    '400 InvalidRequest',
  );
  t.is(await begin({ ChecksumAlgorithm: 'MD5' }), '400 InvalidRequest');
  t.is(await begin({ ...sha256, ChecksumType: 'HALF' }), '400 InvalidArgument');
});

test('an object uploaded from a stream in parts is read with its checksums', async (t) => {
  const Body = Readable.from([...BODIES, Buffer.from('tail')], { objectMode: false });
  for (const ChecksumAlgorithm of ['CRC32', 'SHA256'] as const) {
    const Key = `stream-${ChecksumAlgorithm}`;
    const params = {
      Bucket,
      Key,
      Body: ChecksumAlgorithm === 'CRC32' ? Body : BODIES[0],
      ChecksumAlgorithm,
    };
    const done = await new Upload({ client: s3, params: params as never }).done();
    const got = await s3.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
    const field = `Checksum${ChecksumAlgorithm}` as 'ChecksumCRC32';
    t.is(got[field], done[field]);
    t.truthy(got[field]);
    await got.Body?.transformToByteArray();
  }
});
