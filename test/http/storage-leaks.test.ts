import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStorage } from '@bucketware/core';
import test from 'ava';
import {
  block,
  createFixture,
  delegate,
  EACH_ALONE,
  outcome,
  stateOf,
  uploadOf,
} from './soundness.js';

const bucket = 'leaks';
const key = 'key';

test('a copy whose shares fail one by one leaves no blob behind', async (t) => {
  let shares = 0;
  let armed = false;
  const place = await createFixture({
    blobs: (blobs) => ({
      ...delegate(blobs),
      async share(id, as) {
        if (!armed) return blobs.share(id, as);
        const at = shares++;
        if (at === 0) throw new Error('The first share failed.');
        await sleep(20);
        await blobs.share(id, as);
      },
    }),
  });
  await place.storage.putBucket({ bucket });
  const source = { bucket, key: 'source' };
  await (await uploadOf(place.storage, bucket, 'source', Array(40).fill(block('a')))).complete();
  armed = true;
  t.is(await outcome(place.storage.copyObject({ bucket, key, source })), 'The first share failed.');
  await sleep(200); // Waits for anything that still runs.
  const { missing, orphans, blobs } = await place.settle();
  t.deepEqual([missing, orphans.length, blobs], [[], 0, 40]);
  await place.close();
});

for (const kind of [
  'PutObject',
  'UploadPart',
  'AppendObject',
  'AppendObject at an offset',
] as const) {
  test(`a ${kind} that takes longer than seven days is rejected, and leaves nothing`, async (t) => {
    const place = await createFixture();
    const { storage } = place;
    await storage.putBucket({ bucket });
    const { upload } = await uploadOf(storage, bucket, key, []);
    if (kind.endsWith('offset')) await storage.appendObject({ bucket, key, body: 'first' });
    const before = await stateOf(storage, bucket);
    async function* slow() {
      yield block('x', 1_200_000);
      place.wait(8);
      // Another process. The one that receives the upload knows that it is still arriving.
      await place.reopen();
      await place.storage.sweep();
      yield block('y');
    }
    const body = slow();
    const acts = {
      PutObject: () => storage.putObject({ bucket, key, body }),
      UploadPart: () => storage.uploadPart({ ...upload, partNumber: 1, body }),
      AppendObject: () => storage.appendObject({ bucket, key, body }),
      'AppendObject at an offset': () => storage.appendObject({ bucket, key, body, offset: 5 }),
    };
    const end = outcome(acts[kind]());
    const found = await Promise.race([end, sleep(30_000, 'no answer in 30 s', { ref: false })]);
    const after = await stateOf(storage, bucket);
    // Further attempts find nothing to append to, and end.
    await storage.deleteObject({ bucket, key }).catch(() => {});
    await end;
    t.is(found, 'RequestTimeout');
    t.deepEqual(after, before);
    const { missing, orphans, blobs } = await place.settle();
    t.deepEqual([missing, orphans, blobs], [[], [], 0]);
    await place.close();
  });
}

test('an upload whose blob could not be queued ends its source', async (t) => {
  let broken = false;
  const place = await createFixture(
    {
      metadata: (metadata) => ({
        get: (key) => metadata.get(key),
        getMany: (keys) => metadata.getMany(keys),
        list: (range) => metadata.list(range),
        close: () => metadata.close(),
        commit: (change) =>
          broken ? Promise.reject(new Error('The records are broken.')) : metadata.commit(change),
      }),
    },
    EACH_ALONE,
  );
  const { storage } = place;
  await storage.putBucket({ bucket });
  const { upload } = await uploadOf(storage, bucket, key, []);
  await storage.appendObject({ bucket, key, body: 'first' });
  broken = true;
  let ended = 0;
  async function* source() {
    try {
      for (;;) yield block('x', 1_200_000);
    } finally {
      ended++;
    }
  }
  for (const act of [
    () => storage.putObject({ bucket, key, body: source() }),
    () => storage.uploadPart({ ...upload, partNumber: 1, body: source() }),
    () => storage.appendObject({ bucket, key, body: source(), offset: 5 }),
  ]) {
    ended = 0;
    t.is(await outcome(act()), 'The records are broken.');
    await sleep(10);
    t.is(ended, 1);
  }
  broken = false;
  await place.close();
});

test('if the clock of another process is days ahead, a blob that is swept before it is written is ServiceUnavailable', async (t) => {
  let queued = async (): Promise<void> => {};
  const place = await createFixture(
    {
      metadata: (metadata) => ({
        get: (key) => metadata.get(key),
        getMany: (keys) => metadata.getMany(keys),
        list: (range) => metadata.list(range),
        close: () => metadata.close(),
        async commit(change) {
          const committed = await metadata.commit(change);
          await queued();
          return committed;
        },
      }),
    },
    EACH_ALONE,
  );
  const { storage } = place;
  await storage.putBucket({ bucket });
  await storage.putObject({ bucket, key: 'source', body: block('s') });
  const before = await stateOf(storage, bucket);
  const ahead = await createObjectStorage({
    blobs: delegate(place.blobs),
    metadata: place.metadata,
    now: () => Date.parse('2030-02-01T00:00:00Z'),
    sweepEvery: false,
  });
  for (const act of [
    () => storage.putObject({ bucket, key, body: block('x') }),
    () => storage.copyObject({ bucket, key, source: { bucket, key: 'source' } }),
  ]) {
    queued = async () => {
      queued = async () => {};
      t.true((await ahead.sweep()).removed > 0);
    };
    t.is(await outcome(act()), 'ServiceUnavailable');
    t.deepEqual(await stateOf(storage, bucket), before);
    await act(); // A second attempt succeeds.
    await storage.deleteObject({ bucket, key });
  }
  const { missing, orphans, blobs } = await place.settle();
  t.deepEqual([missing, orphans, blobs], [[], [], 1]);
  await place.close();
});
