import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';

const bucket = 'bucket';
const START = 1_795_341_234_567;
const large = (fill: string): Buffer => Buffer.alloc(200_000, fill);

/** Drivers on which several storages can be opened, and a clock that the test sets. */
function drivers() {
  const [metadata, blobs] = [memoryMetadata(), memoryBlobs()];
  const time = { now: START };
  const open = (readGrace: number) =>
    createObjectStorage({
      ...{ metadata, blobs, readGrace, now: () => time.now },
      ...{ sweepEvery: false, reservedBlobs: 0 },
    });
  return { metadata, time, open };
}

const SOUND = { missing: [], orphans: [] };

test('fractions of milliseconds in a clock and in readGrace are harmless', async (t) => {
  const { metadata, time, open } = drivers();
  time.now += 0.123;
  const storage = await open(1000.5);
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket });
  for (const fill of ['1', '2']) await storage.putObject({ bucket, key: 'key', body: large(fill) });
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'upload' });
  const upload = { bucket, key: 'upload', uploadId };
  const part = await storage.uploadPart({ ...upload, partNumber: 1, body: large('3') });
  await storage.completeMultipartUpload({
    ...upload,
    parts: [{ partNumber: 1, eTag: part.etag }],
  });
  const tombstones = await metadata.list({ prefix: 'g/', limit: 10 });
  t.true(tombstones.length > 1);
  for (const { key } of tombstones) t.regex(key, /^g\/0\d{13}\/[^/]+$/);
  time.now += 1002;
  t.true((await storage.sweep()).removed > 0);
  t.like(await storage.check(), { ...SOUND, objects: 2, blobs: 2 });
});

test('tombstones that earlier versions wrote with fractions are swept, after any number of others', async (t) => {
  const { metadata, time, open } = drivers();
  const storage = await open(0);
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket });
  for (const key of ['a', 'b', 'c']) {
    await storage.putObject({ bucket, key, body: large(key) });
    await storage.deleteObject({ bucket, key });
  }
  const written = await metadata.list({ prefix: 'g/', limit: 10 });
  t.is(written.length, 3);
  const ids = written.map(({ key }) => key.split('/').at(-1));
  // As earlier versions wrote them, and as failed sweeps left them.
  const keys = [
    `g/${START}.5/${ids[0]}`,
    `g/${START}.2578125/${ids[1]}`,
    `g/00000000000000/8125/${ids[2]}`,
  ];
  const later = Array.from({ length: 600 }, (_, at) => `g/0${START + 60_000}/${at}`);
  await metadata.commit({
    delete: written.map(({ key }) => key),
    put: [
      ...keys.map((key) => ({ key, value: 'blob' })),
      ...later.map((key) => ({ key, value: 'completed' })),
    ],
  });
  t.like(await storage.check(), { ...SOUND, blobs: 3 });
  time.now += 1;
  t.deepEqual(await storage.sweep(), { removed: 3 });
  t.like(await storage.check(), { ...SOUND, blobs: 0 });
});

test('if a clock fails later, nothing is written', async (t) => {
  const { metadata, time, open } = drivers();
  const storage = await open(0);
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket });
  for (const now of [Number.NaN, -1, 1e15, Number.POSITIVE_INFINITY]) {
    time.now = now;
    const put = storage.putObject({ bucket, key: 'key', body: large('1') });
    await t.throwsAsync(put, { message: /milliseconds since 1970/ });
  }
  t.is((await metadata.list({ prefix: 'g/', limit: 10 })).length, 0);
});
