import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  BlobNotFoundError,
  type BlobStore,
  BlobUnsettledError,
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { delegate, fixed, read } from '../http/soundness.js';

interface Segment {
  readonly blob: string;
}

const newId = () => randomBytes(16).toString('hex');
const DAY = 24 * 60 * 60 * 1000;
const at = { bucket: 'logs', key: 'log' };

/** The first append creates the object. */
const append = (storage: ObjectStorage, offset: number, body: Buffer) =>
  storage.appendObject({ ...at, ...(offset > 0 ? { offset } : {}), body });

/** A storage with blobs that cannot grow. Counts its calls to the blob store. */
async function createFixture(t: ExecutionContext, wrong: Partial<BlobStore> = {}) {
  const [metadata, inner] = [memoryMetadata(), memoryBlobs()];
  const counts = { writes: 0, written: 0, reads: 0 };
  const blobs: BlobStore = {
    ...fixed(inner),
    async write(id, source, options) {
      counts.writes++;
      const { size } = await inner.write(id, source, options);
      counts.written += size;
      return { size };
    },
    async read(id, range) {
      counts.reads++;
      return inner.read(id, range);
    },
    ...wrong,
  };
  let time = Date.parse('2030-01-01T00:00:00Z');
  const open = () =>
    createObjectStorage({ blobs, metadata, now: () => time, sweepEvery: false, inlineLimit: 0 });
  const storage = await open();
  await storage.putBucket({ bucket: at.bucket });
  const blobsLeft = async (days = 1) => {
    time += days * DAY;
    await storage.sweep();
    const { missing, orphans, blobs: count } = await storage.check();
    t.deepEqual({ missing, orphans }, { missing: [], orphans: [] });
    return count;
  };
  return { storage, open, metadata, inner, counts, blobsLeft };
}

test('a log with thousands of appends has few segments, and each append is cheap', async (t) => {
  const { storage, open, inner, counts, blobsLeft } = await createFixture(t);
  const lines = Array.from({ length: 3000 }, (_, index) => randomBytes(300 + (index % 1500)));
  const whole = Buffer.concat(lines);
  const other = await open();
  let offset = 0;
  for (const [index, body] of lines.entries()) {
    // Two storages append in turn, so neither of them owns the end of the log.
    await append(index % 2 === 0 ? storage : other, offset, body);
    offset += body.length;
  }
  t.true(counts.reads < 2 * lines.length, `${counts.reads} reads to join`);
  t.log({ ...counts, copies: counts.written / whole.length - 1 });
  counts.reads = 0;
  t.true((await read(storage, at.bucket, at.key))?.equals(whole));
  t.true(counts.reads <= 40, `${counts.reads} reads`);
  t.true(counts.writes < 1.5 * lines.length, `${counts.writes} writes`);
  t.true(counts.written < 8 * whole.length, `${counts.written / whole.length} times the bytes`);
  t.is(await blobsLeft(), counts.reads);
  let left = 0;
  for await (const { size } of inner.list()) left += size;
  t.is(left, whole.length);
  t.is((await storage.scrub()).found, 0);
});

test('large appends stay separate, and the small ones between them are joined', async (t) => {
  const { storage, counts, blobsLeft } = await createFixture(t);
  const bodies = Array.from({ length: 200 }, (_, index) =>
    randomBytes(index % 3 === 0 ? 1024 * 1024 + 1 : 20),
  );
  let offset = 0;
  for (const body of bodies) {
    await append(storage, offset, body);
    offset += body.length;
  }
  t.true(counts.written < offset + 1_000_000);
  t.true((await read(storage, at.bucket, at.key))?.equals(Buffer.concat(bodies)));
  await storage.deleteObject(at);
  t.is(await blobsLeft(), 0);
});

test('a log with a damaged or lost part can still be appended to', async (t) => {
  for (const lose of [false, true]) {
    let first: string | undefined;
    const { storage, inner } = await createFixture(t);
    await storage.appendObject({ ...at, body: 'first' });
    for await (const { id } of inner.list()) first = id;
    await inner.remove(first as string);
    if (!lose) await inner.write(first as string, (async function* () {})());
    for (let offset = 5; offset < 100; offset++) {
      await storage.appendObject({ ...at, offset, body: 'x' });
    }
    t.is((await storage.listObjects({ bucket: at.bucket })).contents[0]?.size, 100);
    await t.throwsAsync(async () => (await storage.getObject(at)).bytes());
  }
});

test('a blob that is also in the manifest is not joined and removed', async (t) => {
  const { storage, metadata, blobsLeft } = await createFixture(t);
  const [first, second] = [randomBytes(2000), randomBytes(500)];
  await storage.appendObject({ ...at, body: Buffer.concat([first, second]) });
  // The result of joining when an object had too many segments.
  const [entry] = await metadata.list({ prefix: 'o/', limit: 1 });
  const { key, value } = entry as { key: string; value: { content: { segments: Segment[] } } };
  const { blob } = value.content.segments[0] as Segment;
  const packed = Buffer.alloc(32);
  packed.write(blob, 0, 'hex');
  packed.writeUIntBE(0, 16, 6);
  packed.writeUIntBE(first.length, 22, 6);
  packed.writeUInt32BE(crc32(first), 28);
  const manifest = newId();
  const rest = { blob, offset: first.length, length: second.length, crc32: crc32(second) };
  const content = { manifest, segments: [rest] };
  const put = [
    { key, value: { ...value, content } },
    { key: `m/${manifest}`, value: packed },
  ];
  await metadata.commit({ put });
  let whole = Buffer.concat([first, second]);
  for (let turn = 0; turn < 20; turn++) {
    const body = randomBytes(10);
    await append(storage, whole.length, body);
    whole = Buffer.concat([whole, body]);
  }
  t.true((await blobsLeft()) < 20);
  t.true((await read(storage, at.bucket, at.key))?.equals(whole));
});

test('a blob that may still appear keeps its tombstone, and is removed when it is due', async (t) => {
  const late: (() => Promise<unknown>)[] = [];
  const inner = memoryBlobs();
  const { storage, blobsLeft } = await createFixture(t, {
    ...fixed(inner),
    async write(id, source) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of source) chunks.push(chunk);
      late.push(() => inner.write(id, new Blob(chunks as Uint8Array<ArrayBuffer>[]).stream()));
      throw new BlobUnsettledError(id);
    },
  });
  const put = storage.putObject({ ...at, body: 'late' });
  await t.throwsAsync(put, { instanceOf: BlobUnsettledError });
  for (const arrive of late) await arrive();
  t.is(await blobsLeft(1), 1);
  t.is(await blobsLeft(7), 0);
});

test('a share is requested with the number of bytes that are needed', async (t) => {
  const sizes: (number | undefined)[] = [];
  const inner = memoryBlobs();
  const { storage } = await createFixture(t, {
    ...delegate(inner),
    share: async (id, as, needed) => {
      sizes.push(needed);
      if (id === as) throw new BlobNotFoundError(id);
      return inner.share(id, as);
    },
  });
  const size = 20 * 1024 * 1024;
  await storage.putObject({ ...at, body: Buffer.alloc(size) });
  await storage.copyObject({ bucket: at.bucket, key: 'copy', source: at });
  const { uploadId } = await storage.initiateMultipartUpload(at);
  const range = `bytes=5-${9 * 1024 * 1024}`;
  await storage.uploadPartCopy({ ...at, uploadId, partNumber: 1, source: at, range });
  t.is(sizes[0], size);
  t.is(sizes.length, 2);
  t.true((sizes[1] as number) < size / 2);
});
