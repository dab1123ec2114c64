import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  createObjectStorage,
  type LifecycleReport,
  type LifecycleStep,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorageOptions,
} from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import {
  aborting,
  bucket,
  DAY,
  days,
  fill,
  keysOf,
  NOON,
  numbered,
  rule,
  setRules,
  stoppedClock,
  watched,
} from '../http/lifecycle-fixtures.js';
import { objectKeyOf } from '../http/record-keys.js';

/** Drivers on which several storages can be opened, one after the other. */
async function drivers(t: ExecutionContext, observer: Parameters<typeof watched>[1] = {}) {
  const [metadata, blobs, clock] = [memoryMetadata(), memoryBlobs(), stoppedClock()];
  const watchedMetadata = watched(metadata, observer);
  const options: ObjectStorageOptions = { metadata, blobs, now: clock.now, sweepEvery: false };
  const open = (more: Partial<ObjectStorageOptions> = {}) =>
    createObjectStorage({ ...options, ...more });
  const storage = await open();
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket });
  return { storage, metadata, watchedMetadata, clock, open };
}

test('a run ends at its limit, and later runs continue until everything is done', async (t) => {
  const { storage, clock } = await drivers(t);
  const keys = numbered(2500);
  await fill(storage, keys);
  await storage.initiateMultipartUpload({ bucket, key: 'upload' });
  await setRules(storage, rule(), aborting());
  clock.wait(DAY);
  const seen: string[] = [];
  const onAction = ({ key }: LifecycleStep) => seen.push(key);
  let report: LifecycleReport;
  let runs = 0;
  do {
    report = await storage.lifecycle.run({ maxDeletions: 700, onAction });
    t.true(report.deleted + report.aborted <= 700);
    t.true(report.examined <= 2501);
    runs++;
  } while (!report.complete);
  t.is(runs, 4);
  t.deepEqual([...seen].sort(), [...keys, 'upload']);
  t.deepEqual(await keysOf(storage), []);
});

test('a limit of 0 deletes nothing, and reports that there is more', async (t) => {
  const { storage, clock } = await drivers(t);
  await fill(storage, ['a']);
  await setRules(storage, rule());
  t.true((await storage.lifecycle.run({ maxDeletions: 0 })).complete);
  clock.wait(DAY);
  const report = await storage.lifecycle.run({ maxDeletions: 0 });
  t.deepEqual([report.deleted, report.complete], [0, false]);
  t.deepEqual(await keysOf(storage), ['a']);
  t.true((await storage.lifecycle.run({ maxDeletions: 1 })).complete);
});

test('another process continues where one has died, without examining earlier objects again', async (t) => {
  const { storage, clock, open } = await drivers(t);
  const [old, young] = [numbered(3000), ['z-1', 'z-2']];
  await fill(storage, old);
  await setRules(storage, rule());
  clock.wait(DAY);
  await fill(storage, young);
  let pages = 0;
  const dying = open();
  await t.throwsAsync(
    (await dying).lifecycle.run({
      onProgress() {
        pages++;
        if (pages === 2) throw new Error('the process died');
      },
    }),
    { message: 'the process died' },
  );
  t.deepEqual((await keysOf(storage)).length, 1002);
  const next = await open();
  const report = await next.lifecycle.run();
  t.deepEqual(report, { examined: 1002, deleted: 1000, aborted: 0, spared: 0, complete: true });
  t.deepEqual(await keysOf(storage), young);
  // The round is complete, so the next run starts at the beginning.
  t.is((await next.lifecycle.run()).examined, 2);
});

test('a run continues even if the bucket that it stopped in is gone or has no rules any more', async (t) => {
  const { storage, clock } = await drivers(t);
  await storage.putBucket({ bucket: 'zebra' });
  await storage.putObject({ bucket: 'zebra', key: 'a', body: 'x' });
  const zebra = { ...rule(), resource: ['zebra/'] };
  await storage.putBucketLifecycle({ bucket: 'zebra', rule: [zebra] });
  await fill(storage, numbered(1100));
  await setRules(storage, rule());
  clock.wait(DAY);
  const first = await storage.lifecycle.run({ maxDeletions: 1050 });
  t.deepEqual([first.deleted, first.complete], [1050, false]);
  await storage.deleteBucketLifecycle({ bucket });
  t.is((await storage.lifecycle.run()).deleted, 1);
  t.deepEqual(await keysOf(storage, 'zebra'), []);
  t.is((await keysOf(storage)).length, 50);
});

test('an object that is overwritten between examination and deletion stays, and its neighbour does not', async (t) => {
  let overwrite: (() => Promise<unknown>) | undefined;
  const { storage, clock, open, watchedMetadata } = await drivers(t, {
    async commit(deleted) {
      if (!deleted.some((key) => /^o\/[^/]*\/a$/.test(key))) return;
      const now = overwrite;
      overwrite = undefined;
      await now?.();
    },
  });
  const sweeping = await open({ metadata: watchedMetadata });
  const changes = {
    overwritten: () => storage.putObject({ bucket, key: 'a', body: 'new' }),
    'given a list': () => storage.putObjectAcl({ bucket, key: 'a', acl: 'public-read' }),
    deleted: () => storage.deleteObject({ bucket, key: 'a' }),
  };
  await setRules(storage, rule());
  for (const [name, change] of Object.entries(changes)) {
    await fill(storage, ['a', 'b']);
    clock.wait(DAY);
    overwrite = change;
    const { deleted, spared } = await sweeping.lifecycle.run();
    t.deepEqual([deleted, spared, overwrite], [1, 1, undefined], name);
    t.deepEqual(await keysOf(storage), name === 'deleted' ? [] : ['a'], name);
  }
});

test('an upload that is completed between examination and abortion becomes an object', async (t) => {
  let complete: (() => Promise<unknown>) | undefined;
  const { storage, clock, open, watchedMetadata } = await drivers(t, {
    async commit(deleted) {
      if (!deleted.some((key) => key.startsWith('u/'))) return;
      const now = complete;
      complete = undefined;
      await now?.();
    },
  });
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'a' });
  const upload = { bucket, key: 'a', uploadId };
  const { etag: eTag } = await storage.uploadPart({ ...upload, partNumber: 1, body: 'whole' });
  await setRules(storage, aborting());
  clock.wait(DAY);
  complete = () => storage.completeMultipartUpload({ ...upload, parts: [{ partNumber: 1, eTag }] });
  const { aborted, spared } = await (await open({ metadata: watchedMetadata })).lifecycle.run();
  t.deepEqual([aborted, spared], [0, 1]);
  const stored = await storage.getObject({ bucket, key: 'a' });
  t.is(String(await stored.bytes()), 'whole');
});

test('rules that are replaced or deleted during a run no longer remove objects', async (t) => {
  for (const change of ['replaced', 'deleted'] as const) {
    const { storage, clock } = await drivers(t);
    await fill(storage, numbered(1500));
    await setRules(storage, rule());
    clock.wait(DAY);
    const report = await storage.lifecycle.run({
      async onProgress({ examined }) {
        if (examined > 1000) return;
        if (change === 'deleted') await storage.deleteBucketLifecycle({ bucket });
        else await setRules(storage, rule({ expires: days(30) }));
      },
    });
    t.is(report.deleted, 1000, change);
    t.is((await keysOf(storage)).length, 500, change);
  }
});

test('progress is reported for each page, and adds up to the final report', async (t) => {
  const { storage, clock } = await drivers(t);
  await fill(storage, numbered(2200));
  await setRules(storage, rule());
  clock.wait(DAY);
  const reported: LifecycleReport[] = [];
  const report = await storage.lifecycle.run({ onProgress: (now) => void reported.push(now) });
  t.true(reported.length >= 3);
  t.deepEqual(reported.at(-1), { ...report, complete: false });
  const counts = reported.map(({ examined }) => examined);
  t.deepEqual(
    counts,
    [...counts].sort((a, b) => a - b),
  );
  t.true((counts[0] ?? 0) < 2200);
});

test.serial('memory use does not grow over 200,000 objects', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { storage, metadata, clock } = await drivers(t);
  const value = {
    ...{ type: 'Normal', size: 1, etag: 'e'.repeat(32), lastModified: NOON, headers: [] },
    ...{
      storageClass: 'STANDARD',
      metadata: [['name', 'v'.repeat(200)]],
      content: { segments: [] },
    },
  };
  const prefix = await objectKeyOf(metadata, bucket, '');
  for (let at = 0; at < 200; at++) {
    const put = numbered(1000).map((key) => ({ key: `${prefix}${at + 100}/${key}`, value }));
    await metadata.commit({ put });
  }
  await setRules(storage, rule());
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  for (const due of [false, true]) {
    let most = 0;
    let pages = 0;
    const before = used();
    const report = await storage.lifecycle.run({
      dryRun: due,
      onProgress() {
        pages++;
        if (pages % 20 === 0) most = Math.max(most, used() - before);
      },
    });
    t.is(report.examined, 200_000);
    t.is(report.deleted, due ? 200_000 : 0);
    t.log(`${pages} pages, at most ${Math.round(most / 1024)} KB more than before`);
    t.true(most < 16 * 1024 * 1024, `${most} bytes`);
    clock.wait(DAY);
  }
});
