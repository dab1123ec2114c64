import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  BlobNotShareableError,
  type BlobStore,
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorageOptions,
} from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { delegate, read } from './soundness.js';

const bucket = 'segments';
const DAY = 24 * 60 * 60 * 1000;

interface Segment {
  readonly blob: string;
  readonly offset: number;
  readonly length: number;
  readonly crc32: number;
}
interface Content {
  readonly manifest?: string;
  readonly segments: readonly Segment[];
}

/** Opens a storage in memory, one after the other, with low limits. */
async function createFixture(t: ExecutionContext, calls: (blobs: BlobStore) => Partial<BlobStore>) {
  const [metadata, inner] = [memoryMetadata(), memoryBlobs()];
  const blobs = Object.assign(delegate(inner), calls(inner));
  let time = Date.parse('2030-01-01T00:00:00Z');
  const open = (options: Partial<ObjectStorageOptions> = {}) =>
    createObjectStorage({
      ...{ metadata, blobs, sweepEvery: false, inlineLimit: 0, onError: (error) => t.log(error) },
      ...{ now: () => time++, reservedBlobs: 0 },
      ...options,
    });
  const segmentsIn = async (key: string): Promise<number> => {
    const records = await metadata.list({ prefix: 'o/', limit: 100 });
    const found = records.find((entry) => entry.key.endsWith(`/${key}`));
    const object = found?.value as { content: Content } | undefined;
    const { manifest, segments } = object?.content ?? { segments: [] };
    const packed = manifest && (await metadata.get(`m/${manifest}`))?.value;
    return segments.length + (packed ? (packed as Uint8Array).length / 32 : 0);
  };
  /** Advances the clock by days, sweeps everything that is due, and returns what is left. */
  const settle = async () => {
    time += 8 * DAY;
    const storage = await open();
    await storage.sweep();
    const { missing, orphans, blobs: count } = await storage.check();
    const { found } = await storage.scrub();
    const manifests = (await metadata.list({ prefix: 'm/', limit: 100 })).length;
    const queued = (await metadata.list({ prefix: 'g/', limit: 100 })).length;
    t.deepEqual(
      { missing, orphans, found, queued },
      { missing: [], orphans: [], found: 0, queued: 0 },
    );
    return { blobs: count, manifests };
  };
  const storage = await open();
  await storage.putBucket({ bucket });
  return { metadata, blobs: inner, open, storage, segmentsIn, settle };
}

type Storage = Awaited<ReturnType<typeof createObjectStorage>>;

async function upload(storage: Storage, key: string, bodies: readonly Buffer[]) {
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key });
  const parts: { partNumber: number; etag: string }[] = [];
  for (const body of bodies) {
    const partNumber = parts.length + 1;
    const { etag } = await storage.uploadPart({ bucket, key, uploadId, partNumber, body });
    parts.push({ partNumber, etag });
  }
  return { bucket, key, uploadId, parts };
}

const blocks = (count: number) => Array.from({ length: count }, () => randomBytes(102_400));

test('an object with too many segments can be read, is copied as one blob, and leaves nothing', async (t) => {
  const { open, storage, segmentsIn, settle } = await createFixture(t, () => ({}));
  const bodies = blocks(30);
  await storage.completeMultipartUpload(await upload(storage, 'many', bodies));
  t.is(await segmentsIn('many'), 30);
  const strict = await open({ maxSegments: 8, segmentsInRecord: 2 });
  const whole = Buffer.concat(bodies);
  t.true((await read(strict, bucket, 'many'))?.equals(whole));
  await strict.copyObject({ bucket, key: 'copy', source: { bucket, key: 'many' } });
  t.is(await segmentsIn('copy'), 1);
  t.true((await read(strict, bucket, 'copy'))?.equals(whole));
  t.deepEqual(await settle(), { blobs: 31, manifests: 0 });
});

test('a copy of many segments has one entry in the queue, and is removed like any other', async (t) => {
  const { metadata, open, segmentsIn, settle } = await createFixture(t, () => ({}));
  const storage = await open({ segmentsInRecord: 2 });
  const bodies = blocks(6);
  await storage.completeMultipartUpload(await upload(storage, 'many', bodies));
  t.is((await metadata.list({ prefix: 'g/', limit: 100 })).length, 1); // The result of the upload.
  await storage.copyObject({ bucket, key: 'copy', source: { bucket, key: 'many' } });
  t.is(await segmentsIn('copy'), 6);
  await storage.deleteObject({ bucket, key: 'many' });
  t.deepEqual(await settle(), { blobs: 6, manifests: 1 });
  t.true((await read(storage, bucket, 'copy'))?.equals(Buffer.concat(bodies)));
  await storage.deleteObject({ bucket, key: 'copy' });
  t.deepEqual(await settle(), { blobs: 0, manifests: 0 });
});

test('parts of several segments are joined when the whole would have too many', async (t) => {
  const { metadata, open, segmentsIn, settle } = await createFixture(t, () => ({}));
  const storage = await open({ maxSegments: 8, segmentsInRecord: 2 });
  const bodies = blocks(5);
  const { parts, ...name } = await upload(storage, 'joined', bodies);
  // Like part copies of an earlier version: parts of several segments.
  for (const [index, { key, value }] of (
    await metadata.list({ prefix: 'p/', limit: 9 })
  ).entries()) {
    const part = value as { content: { segments: Segment[] } };
    const [segment] = part.content.segments as [Segment];
    const cuts = Array.from({ length: 4 }, (_, at) => {
      const [offset, length] = [at * 25_600, 25_600];
      const bytes = (bodies[index] as Buffer).subarray(offset, offset + length);
      return { blob: segment.blob, offset, length, crc32: crc32(bytes) };
    });
    await metadata.commit({ put: [{ key, value: { ...part, content: { segments: cuts } } }] });
  }
  const whole = Buffer.concat(bodies);
  await t.throwsAsync(
    storage.completeMultipartUpload({ ...name, parts, contentCrc32: (crc32(whole) ^ 1) >>> 0 }),
    { code: 'BadDigest' },
  );
  await storage.completeMultipartUpload({ ...name, parts, contentCrc32: crc32(whole) });
  t.true((await segmentsIn('joined')) <= 8);
  t.true((await read(storage, bucket, 'joined'))?.equals(whole));
  await settle();
  await storage.deleteObject({ bucket, key: 'joined' });
  t.deepEqual(await settle(), { blobs: 0, manifests: 0 });
});

test('appends after many openings join small segments, and nothing is lost', async (t) => {
  const { open, segmentsIn, settle } = await createFixture(t, () => ({}));
  let whole = Buffer.alloc(0);
  for (let round = 0; round < 40; round++) {
    const storage = await open({ maxSegments: 8, segmentsInRecord: 2 });
    const body = randomBytes(1 + (round % 7) * 100);
    const at = round === 0 ? {} : { offset: whole.length };
    await storage.appendObject({ bucket, key: 'log', ...at, body });
    whole = Buffer.concat([whole, body]);
    t.true((await segmentsIn('log')) <= 8);
  }
  const { blobs } = await settle();
  t.true(blobs <= 8);
  const storage = await open();
  t.true((await read(storage, bucket, 'log'))?.equals(whole));
  await storage.deleteObject({ bucket, key: 'log' });
  t.deepEqual(await settle(), { blobs: 0, manifests: 0 });
});

test('only the needed part of a blob that cannot be shared is copied', async (t) => {
  let written = 0;
  const { open, settle } = await createFixture(t, (inner) => ({
    share: async (id) => {
      throw new BlobNotShareableError(id);
    },
    write: async (id, source) => {
      const done = await inner.write(id, source);
      written += done.size;
      return done;
    },
  }));
  const storage = await open();
  const body = randomBytes(20 * 1024 * 1024);
  await storage.putObject({ bucket, key: 'large', body });
  const source = { bucket, key: 'large' };
  written = 0;
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'parts' });
  const name = { bucket, key: 'parts', uploadId };
  const large = { ...name, partNumber: 1, source, range: `bytes=1000-${1000 + 9_000_000 - 1}` };
  const first = await storage.uploadPartCopy(large);
  t.is(written, 9_000_000);
  const second = await storage.uploadPartCopy({ ...large, partNumber: 2, range: 'bytes=7-7' });
  t.is(written, 9_000_001);
  const parts = [first, second].map(({ etag }, at) => ({ partNumber: at + 1, etag }));
  await storage.completeMultipartUpload({ ...name, parts });
  const wanted = Buffer.concat([body.subarray(1000, 9_001_000), body.subarray(7, 8)]);
  t.true((await read(storage, bucket, 'parts'))?.equals(wanted));
  await storage.copyObject({ bucket, key: 'copy', source: { bucket, key: 'parts' } });
  t.is(written, 2 * 9_000_001);
  t.true((await read(storage, bucket, 'copy'))?.equals(wanted));
  await settle();
});

test('a small range of a large blob becomes a separate blob; a large range shares it', async (t) => {
  const shared: string[] = [];
  const { storage, blobs, settle } = await createFixture(t, (inner) => ({
    share: async (id, as) => {
      shared.push(as);
      await inner.share(id, as);
    },
  }));
  const body = randomBytes(20 * 1024 * 1024);
  await storage.putObject({ bucket, key: 'large', body });
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'parts' });
  const copy = { bucket, key: 'parts', uploadId, source: { bucket, key: 'large' } };
  const most = 8 * 1024 * 1024;
  await storage.uploadPartCopy({ ...copy, partNumber: 1, range: `bytes=5-${most + 4}` });
  t.is(shared.length, 0);
  const sizes: number[] = [];
  for await (const { size } of blobs.list()) sizes.push(size);
  t.deepEqual(sizes, [body.length, most]);
  await storage.uploadPartCopy({ ...copy, partNumber: 2, range: `bytes=5-${most + 5}` });
  t.is(shared.length, 1);
  await storage.abortMultipartUpload({ bucket, key: 'parts', uploadId });
  t.deepEqual(await settle(), { blobs: 1, manifests: 0 });
});

test('a copy that fails half-way immediately removes what it has created', async (t) => {
  let left = Number.POSITIVE_INFINITY;
  const {
    metadata,
    open,
    storage: first,
  } = await createFixture(t, (inner) => ({
    share: async (id, as) => {
      if (left-- <= 0) throw new Error('the disk is gone');
      await inner.share(id, as);
    },
  }));
  await first.completeMultipartUpload(await upload(first, 'many', blocks(6)));
  const queued = async () => (await metadata.list({ prefix: 'g/', limit: 100 })).length;
  const before = await queued();
  for (const segmentsInRecord of [2, 64]) {
    const storage = await open({ segmentsInRecord });
    left = 3;
    const copy = { bucket, key: 'copy', source: { bucket, key: 'many' } };
    await t.throwsAsync(storage.copyObject(copy), { message: 'the disk is gone' });
    t.is(await queued(), before);
    const { blobs, orphans, missing } = await storage.check();
    t.deepEqual({ blobs, orphans, missing }, { blobs: 6, orphans: [], missing: [] });
  }
});
