import {
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test from 'ava';
import { bucketIdOf } from './record-keys.js';

const bucket = 'bucket';
const MANY = 100_000;

/** Counts the changes in commits. */
function measured(inner: MetadataStore) {
  let largest = 0;
  const metadata: MetadataStore = {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (range) => inner.list(range),
    commit(change) {
      const { put = [], delete: gone = [], expect = [] } = change;
      largest = Math.max(largest, put.length, gone.length, expect.length);
      return inner.commit(change);
    },
    close: () => inner.close(),
  };
  return { metadata, largest: () => largest };
}

test('a bucket with 100,000 unfinished uploads is deleted in commits of bounded size', async (t) => {
  const inner = memoryMetadata();
  const { metadata, largest } = measured(inner);
  const options = { metadata, blobs: memoryBlobs(), readGrace: 0, sweepEvery: false } as const;
  const storage = await createObjectStorage(options);
  await storage.putBucket({ bucket });
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'key' });
  await storage.uploadPart({ bucket, key: 'key', uploadId, partNumber: 1, body: 'part' });
  const prefix = `u/${await bucketIdOf(inner, bucket)}/`;
  const record = (await inner.list({ prefix, limit: 1 }))[0]?.value;
  for (let at = 0; at < MANY; at += 10_000) {
    const put = Array.from({ length: 10_000 }, (_, index) => {
      const id = String(at + index).padStart(32, '0');
      return { key: `${prefix}key\0${id}`, value: record };
    });
    await inner.commit({ put });
  }
  await storage.deleteBucket({ bucket });
  t.true(largest() < 20);
  // The name is free at once, and the new bucket does not show what is left of the old one.
  await storage.putBucket({ bucket });
  t.deepEqual((await storage.listMultipartUploads({ bucket })).uploads, []);
  await t.throwsAsync(storage.listParts({ bucket, key: 'key', uploadId }), { message: /upload/ });

  await storage.sweep();
  t.true(largest() <= 1000, `a commit of ${largest()} records`);
  t.deepEqual(await inner.list({ prefix: 'u/', limit: 1 }), []);
  t.deepEqual(await inner.list({ prefix: 'p/', limit: 1 }), []);
  const { missing, orphans, blobs } = await storage.check();
  t.deepEqual({ missing, orphans, blobs }, { missing: [], orphans: [], blobs: 0 });
});

test('the number of unfinished uploads in a bucket is limited', async (t) => {
  const storage = await createObjectStorage({
    metadata: memoryMetadata(),
    blobs: memoryBlobs(),
    sweepEvery: false,
    maxUploadsPerBucket: 20,
  });
  for (const name of [bucket, 'another']) {
    await storage.putBucket({ bucket: name });
    const begin = () => storage.initiateMultipartUpload({ bucket: name, key: 'key' });
    const uploads = [];
    for (let count = 0; count < 20; count++) uploads.push(await begin());
    await t.throwsAsync(begin(), { message: /unfinished uploads/ });
    await storage.abortMultipartUpload(uploads[7] as (typeof uploads)[0]);
    await t.notThrowsAsync(begin());
    await t.throwsAsync(begin(), { message: /unfinished uploads/ });
  }
});

test('concurrent requests to a nearly full bucket share one count of its uploads', async (t) => {
  const inner = memoryMetadata();
  const pages: number[] = [];
  const metadata: MetadataStore = {
    ...measured(inner).metadata,
    list(range) {
      if (range.prefix.startsWith('u/')) pages.push(range.limit);
      return inner.list(range);
    },
  };
  let now = Date.parse('2030-01-01T00:00:00Z');
  const opened = await createObjectStorage({
    ...{ metadata, blobs: memoryBlobs(), now: () => now, sweepEvery: false },
    maxUploadsPerBucket: 200,
  });
  await opened.putBucket({ bucket });
  const begin = () => opened.initiateMultipartUpload({ bucket, key: 'key' });
  const beginAll = async (count: number) => {
    const outcomes = await Promise.allSettled(Array.from({ length: count }, begin));
    return outcomes.filter(({ status }) => status === 'fulfilled').length;
  };
  const uploads = await Promise.all(Array.from({ length: 190 }, begin));
  pages.length = 0;
  t.is(await beginAll(60), 10);
  // 200 records, each of which may have 17 KB.
  t.true(Math.max(...pages) <= 64);
  t.true(pages.length <= 2 * Math.ceil(201 / 64), `${pages.length} pages were read`);

  // The bucket stays full until an upload ends. No count is needed to know that.
  pages.length = 0;
  t.is(await beginAll(60), 0);
  const [first, second] = uploads as [(typeof uploads)[0], (typeof uploads)[0]];
  await opened.abortMultipartUpload(first);
  t.is(await beginAll(2), 1);
  const { etag } = await opened.uploadPart({ ...second, partNumber: 1, body: 'x' });
  const parts = [{ partNumber: 1, etag }];
  await opened.completeMultipartUpload({ ...second, parts });
  t.is(await beginAll(2), 1);
  t.is(pages.length, 0);

  // Another process may have ended some uploads, so they are counted again after a few seconds.
  const prefix = `u/${await bucketIdOf(inner, bucket)}/`;
  const [gone] = await inner.list({ prefix, limit: 1 });
  await inner.commit({ delete: [gone?.key as string] });
  t.is(await beginAll(2), 0);
  now += 6000;
  t.is(await beginAll(2), 1);
});
