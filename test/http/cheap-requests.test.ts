import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import { toWebHandler } from '@bucketware/web';
import test from 'ava';
import { turnsDuring, until } from '../drivers/fixtures.js';
import { alice, bob, memoryStorage, OF_TESTS } from './servers.js';

const TIMES = 30;
const many = (call: () => Promise<unknown>) => () =>
  Promise.all(Array.from({ length: TIMES }, call));

test('preflights against the largest CORS rules let other requests run', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const own = storage.as(alice);
  const handle = toWebHandler(storage, { mount: '/storage', principal: () => alice });
  const headers = {
    origin: 'https://app.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': Array.from({ length: 100 }, (_, at) => `a${at}`).join(),
  };
  const preflight = (bucket: string) => async () => {
    const request = new Request(`http://localhost/storage/${bucket}/key`, {
      method: 'OPTIONS',
      headers,
    });
    const response = await handle(request);
    t.is(response.status, 403);
  };
  const turns: number[] = [];
  for (const [bucket, length] of [
    ['small', 1],
    ['large', 3000],
  ] as const) {
    await own.putBucket({ bucket });
    const allowedHeaders = Array.from({ length }, () => '*z');
    const rule = { allowedOrigins: ['*'], allowedMethods: ['GET'], allowedHeaders };
    await own.putBucketCors({ bucket, corsConfiguration: [rule] });
    turns.push(await turnsDuring(many(preflight(bucket))));
  }
  const [small = 0, large = 0] = turns;
  t.true(small < TIMES, `${small}`);
  t.true(large >= TIMES, `${large}`);
});

test('reading the parts of objects lets other requests run', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const own = storage.as(alice);
  const bucket = 'bucket';
  await own.putBucket({ bucket });
  const upload = { bucket, key: 'key', checksumAlgorithm: 'crc32' } as const;
  const { uploadId } = await own.initiateMultipartUpload(upload);
  const part = { bucket, key: 'key', uploadId };
  const { etag } = await own.uploadPart({ ...part, partNumber: 1, body: 'a' });
  await own.completeMultipartUpload({ ...part, parts: [{ partNumber: 1, eTag: etag }] });
  const read = () => own.getObjectAttributes({ bucket, key: 'key' });
  t.is((await read()).parts?.count, 1);
  // Four of one caller at a time.
  const turns = await turnsDuring(many(read));
  t.true(turns >= TIMES / 4, `${turns}`);
});

test('requests that arrive together share the long lists of a bucket', async (t) => {
  const metadata = memoryMetadata();
  const getMany = metadata.getMany.bind(metadata);
  const get = metadata.get.bind(metadata);
  let read = 0;
  const count = (key: string) => {
    if (/^(x|a)\//.test(key)) read++;
  };
  metadata.getMany = (keys) => {
    for (const key of keys) count(key);
    return getMany(keys);
  };
  metadata.get = (key) => {
    count(key);
    return get(key);
  };
  const storage = await createObjectStorage({ metadata, blobs: memoryBlobs(), ...OF_TESTS });
  t.teardown(() => storage.close());
  const own = storage.as(alice);
  const bucket = 'bucket';
  const grantee = [
    ...Array.from({ length: 500 }, (_, at) => ({ id: `u${at}` })),
    { id: bob.userId },
  ];
  const accessControlList = [{ grantee, permission: ['READ'] }];
  await own.putBucket({ bucket });
  await own.putObject({ bucket, key: 'key', body: 'data' });
  const rule = { allowedOrigins: ['https://app.example'], allowedMethods: ['GET'] };
  await own.putBucketCors({ bucket, corsConfiguration: [rule] });
  const handle = toWebHandler(storage, { mount: '/storage', principal: () => bob });
  const headers = { origin: 'https://app.example' };
  const request = async () => {
    const response = await handle(new Request('http://localhost/storage/bucket/key', { headers }));
    t.is(response.headers.get('access-control-allow-origin'), headers.origin);
    return response.status;
  };
  let total = 0;
  for (const [set, status] of [
    [() => own.putBucketAcl({ bucket, accessControlList }), 200],
    [() => own.putBucketAcl({ bucket, acl: 'private' }), 403],
    [() => own.putObjectAcl({ bucket, key: 'key', accessControlList }), 200],
    [() => own.deleteObjectAcl({ bucket, key: 'key' }), 403],
  ] as const) {
    await set();
    read = 0;
    const answers = await Promise.all(Array.from({ length: 100 }, request));
    t.deepEqual(new Set(answers), new Set([status]));
    // Four of each list at a time.
    t.true(read <= 12, `${read}`);
    total += read;
  }
  t.true(total > 0);
});

test('requests for many objects with long lists of their own read a few lists at a time', async (t) => {
  const metadata = memoryMetadata();
  const get = metadata.get.bind(metadata);
  let [reading, most] = [0, 0];
  metadata.get = async (key) => {
    if (!key.startsWith('a/')) return get(key);
    most = Math.max(most, ++reading);
    await sleep(5);
    reading--;
    return get(key);
  };
  const storage = await createObjectStorage({ metadata, blobs: memoryBlobs(), ...OF_TESTS });
  t.teardown(() => storage.close());
  const own = storage.as(alice);
  const bucket = 'bucket';
  await own.putBucket({ bucket });
  const grantee = Array.from({ length: 500 }, (_, at) => ({ id: `u${at}` }));
  const keys = Array.from({ length: TIMES }, (_, at) => `key ${at}`);
  for (const key of keys) {
    await own.putObject({ bucket, key, body: 'data' });
    const accessControlList = [{ grantee, permission: ['READ'] }];
    await own.putObjectAcl({ bucket, key, accessControlList });
  }
  const others = storage.as(bob);
  const read = (key: string) => others.getObject({ bucket, key });
  const answers = await Promise.allSettled(keys.map(read));
  for (const answer of answers) t.is(answer.status, 'rejected');
  t.is(most, 4);
});

test('requests at the same time share the segments and the parts of an object', async (t) => {
  const metadata = memoryMetadata();
  const get = metadata.get.bind(metadata);
  let read = 0;
  metadata.get = (key) => {
    if (/^[ml]\//.test(key)) read++;
    return get(key);
  };
  const options = { metadata, blobs: memoryBlobs(), segmentsInRecord: 1 };
  const storage = await createObjectStorage(options);
  t.teardown(() => storage.close());
  const bucket = 'bucket';
  await storage.putBucket({ bucket });
  const upload = async (fill: string) => {
    const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'key' });
    const parts = [];
    for (const partNumber of [1, 2, 3]) {
      const body = Buffer.alloc(200_000, fill + partNumber);
      const place = { bucket, key: 'key', uploadId, partNumber };
      parts.push({ partNumber, eTag: (await storage.uploadPart({ ...place, body })).etag });
    }
    await storage.completeMultipartUpload({ bucket, key: 'key', uploadId, parts });
  };
  const range = 'bytes=399998-400001';
  const download = async () => (await storage.getObject({ bucket, key: 'key', range })).text();
  const readPart = async () => {
    const part = await storage.getObject({ bucket, key: 'key', partNumber: 2 });
    return (await part.bytes()).length;
  };
  const target = { bucket, key: 'copy' };
  const { uploadId } = await storage.initiateMultipartUpload(target);
  const copy = async () => {
    const part = { ...target, uploadId, partNumber: 1, source: { bucket, key: 'key' } };
    return (await storage.uploadPartCopy({ ...part, range })).etag;
  };
  for (const fill of ['a', 'b']) {
    await upload(fill);
    read = 0;
    const calls: [call: () => Promise<unknown>, expected: unknown][] = [
      [download, `${fill}2${fill}3`],
      [readPart, 200_000],
      [copy, createHash('md5').update(`${fill}2${fill}3`).digest('hex')],
    ];
    for (const [call, expected] of calls) {
      const results = await Promise.all(Array.from({ length: 60 }, call));
      t.deepEqual([...new Set(results)], [expected]);
    }
    t.true(read > 0 && read <= 8, `${read}`);
  }
});

test('a program cannot change the lists that decide about requests', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const own = storage.as(alice);
  const bucket = 'bucket';
  await own.putBucket({ bucket });
  const rule = { allowedOrigins: ['https://a.example'], allowedMethods: ['GET'] };
  await own.putBucketCors({ bucket, corsConfiguration: [rule] });
  const accessControlList = [{ grantee: [{ id: bob.userId }], permission: ['READ', 'LIST'] }];
  await own.putBucketAcl({ bucket, accessControlList });
  await storage.as(bob).listObjects({ bucket });
  const request = { bucket, origin: 'https://a.example', method: 'GET' };
  const allowed = await storage.optionsBucket(request);
  t.throws(() => (allowed.rule.allowedOrigins as string[]).push('https://b.example'));
  await t.throwsAsync(storage.optionsBucket({ ...request, origin: 'https://b.example' }));
  // Results of their own may be changed.
  const read = await own.getBucketAcl({ bucket });
  for (const { grantee } of read.accessControlList) (grantee as { id: string }[]).push({ id: '*' });
  await t.throwsAsync(storage.as(undefined).listObjects({ bucket }), { message: /Anonymous/ });
});

test('requests that wait for long lists are limited', async (t) => {
  const metadata = memoryMetadata();
  const getMany = metadata.getMany.bind(metadata);
  let isHeld = false;
  const held: (() => void)[] = [];
  metadata.getMany = async (keys) => {
    if (isHeld && keys.some((key) => key.startsWith('x/'))) {
      await new Promise<void>((resolve) => held.push(resolve));
    }
    return getMany(keys);
  };
  const blobs = memoryBlobs();
  const before = await createObjectStorage({ metadata, blobs, ...OF_TESTS });
  const bucket = 'bucket';
  await before.as(alice).putBucket({ bucket, acl: 'public-read' });
  await before.as(alice).putObject({ bucket, key: 'key', body: 'data' });
  // An opening that has not read the list yet.
  const storage = await createObjectStorage({ metadata, blobs, ...OF_TESTS });
  t.teardown(() => storage.close());
  isHeld = true;
  const read = () => storage.as(bob).getObjectMeta({ bucket, key: 'key' });
  const reading = Promise.allSettled(Array.from({ length: 5_000 }, read));
  await until(() => held.length === 4);
  isHeld = false;
  for (const release of held) release();
  const answers = await reading;
  const refused = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  t.deepEqual(new Set(refused), new Set(['ServiceUnavailable']));
  t.is(answers.length - refused.length, 4_004);
  await read();
});

test('requests that wait for lifecycle rules are limited', async (t) => {
  const metadata = memoryMetadata();
  const get = metadata.get.bind(metadata);
  const held: (() => void)[] = [];
  metadata.get = async (key) => {
    if (key.startsWith('x/')) await new Promise<void>((resolve) => held.push(resolve));
    return get(key);
  };
  const storage = await createObjectStorage({ metadata, blobs: memoryBlobs(), ...OF_TESTS });
  t.teardown(() => storage.close());
  const bucket = 'bucket';
  await storage.putBucket({ bucket });
  await storage.putObject({ bucket, key: 'key', body: 'data' });
  const expires = { afterDays: 1 };
  const rule = { id: 'old', status: 'enabled', resource: ['bucket/*'], expires } as const;
  await storage.putBucketLifecycle({ bucket, rule: [{ ...rule, action: 'DeleteObject' }] });

  const read = () => storage.getObjectMeta({ bucket, key: 'key' });
  const reading = Promise.allSettled(Array.from({ length: 5_000 }, read));
  await until(() => held.length === 1);
  held[0]?.();
  const answers = await reading;
  const refused = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  t.deepEqual(new Set(refused), new Set(['ServiceUnavailable']));
  t.is(answers.length - refused.length, 4_000);
  t.is((await read()).expiration?.ruleId, 'old');
});

test('a bucket that is replaced while its list is read is not the one of the request', async (t) => {
  const metadata = memoryMetadata();
  const blobs = memoryBlobs();
  const before = await createObjectStorage({ metadata, blobs, ...OF_TESTS });
  const bucket = 'bucket';
  const make = () => before.as(alice).putBucket({ bucket, acl: 'public-read-write' });
  await make();
  const storage = await createObjectStorage({ metadata, blobs, ...OF_TESTS });
  t.teardown(() => storage.close());
  const getMany = metadata.getMany.bind(metadata);
  let isReplaced = false;
  metadata.getMany = async (keys) => {
    if (!isReplaced && keys.some((key) => key.startsWith('x/'))) {
      isReplaced = true;
      await before.as(alice).deleteBucket({ bucket });
      await make();
    }
    return getMany(keys);
  };
  const put = () => storage.as(bob).putObject({ bucket, key: 'key', body: 'data' });
  await t.throwsAsync(put(), { code: 'NoSuchBucket' });
  t.true(isReplaced);
  await t.notThrowsAsync(put());
});
