import type { LifecycleStep, ObjectStorage } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { diskStorage } from './disk-storage.js';
import {
  aborting,
  bucket,
  DAY,
  days,
  fill,
  keysOf,
  NOON,
  on,
  rule,
  setRules,
  stoppedClock,
} from './lifecycle-fixtures.js';
import { memoryStorage } from './servers.js';

async function opened(t: ExecutionContext, open: typeof memoryStorage) {
  const clock = stoppedClock();
  const storage = await open({ now: clock.now, sweepEvery: false });
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket });
  return { storage, clock };
}

const NOTHING = { examined: 0, deleted: 0, aborted: 0, spared: 0, complete: true };

/** The keys of the unfinished uploads in the bucket. */
const uploadsOf = async (storage: ObjectStorage): Promise<string[]> =>
  (await storage.listMultipartUploads({ bucket })).uploads.map(({ key }) => key);

for (const [name, open] of Object.entries({ memory: memoryStorage, disk: diskStorage })) {
  test(`${name}: a relative date is due exactly the given number of days after the last modification`, async (t) => {
    const { storage, clock } = await opened(t, open);
    await fill(storage, ['a', 'b']);
    await setRules(storage, rule({ expires: days(7) }));
    const due = { ruleId: 'rule', at: new Date(NOON + 7 * DAY) };
    t.deepEqual(await storage.lifecycle.explain(bucket, 'a'), due);
    clock.wait(7 * DAY - 1);
    t.deepEqual(await storage.lifecycle.run(), { ...NOTHING, examined: 2 });
    await storage.putObject({ bucket, key: 'b', body: 'younger' });
    clock.wait(1);
    t.deepEqual(await storage.lifecycle.run(), { ...NOTHING, examined: 2, deleted: 1 });
    t.deepEqual(await keysOf(storage), ['b']);
    clock.wait(7 * DAY - 2);
    t.is((await storage.lifecycle.run()).deleted, 0);
    clock.wait(1);
    t.is((await storage.lifecycle.run()).deleted, 1);
    const { objects, missing, orphans } = await storage.check();
    t.deepEqual({ objects, missing, orphans }, { objects: 0, missing: [], orphans: [] });
  });

  test(`${name}: an absolute date is due from its midnight on, even for newer objects`, async (t) => {
    const { storage, clock } = await opened(t, open);
    await fill(storage, ['a']);
    await setRules(storage, rule({ expires: on('2026-06-16') }));
    t.deepEqual((await storage.lifecycle.explain(bucket, 'a'))?.at, new Date('2026-06-16'));
    clock.wait(DAY / 2 - 1);
    t.is((await storage.lifecycle.run()).deleted, 0);
    clock.wait(1);
    t.is((await storage.lifecycle.run()).deleted, 1);
    await fill(storage, ['b']);
    t.is((await storage.lifecycle.run()).deleted, 1);
    t.deepEqual(await keysOf(storage), []);
  });

  test(`${name}: uploads are aborted by their start time, and objects are not affected`, async (t) => {
    const { storage, clock } = await opened(t, open);
    await fill(storage, ['a']);
    await setRules(storage, aborting({ expires: days(3), resource: [`${bucket}/in/*`] }));
    const begin = (key: string) => storage.initiateMultipartUpload({ bucket, key });
    const { uploadId } = await begin('in/a');
    await begin('out/a');
    await begin('in');
    clock.wait(1);
    await begin('in/a');
    clock.wait(3 * DAY - 2);
    const part = { bucket, key: 'in/a', uploadId, partNumber: 1, body: Buffer.alloc(200_000) };
    await storage.uploadPart(part);
    t.is((await storage.lifecycle.run()).aborted, 0);
    clock.wait(1);
    const steps: LifecycleStep[] = [];
    const report = await storage.lifecycle.run({ onAction: (step) => steps.push(step) });
    t.deepEqual(report, { ...NOTHING, examined: 4, aborted: 1 });
    const about = { action: 'AbortMultipartUpload', bucket, key: 'in/a', uploadId };
    t.deepEqual(steps, [{ ...about, ruleId: 'abort' }] as LifecycleStep[]);
    t.deepEqual(await uploadsOf(storage), ['in', 'in/a', 'out/a']);
    await t.throwsAsync(storage.uploadPart(part), { message: /upload/ });
    t.deepEqual(await keysOf(storage), ['a']);
    clock.wait(DAY);
    await storage.sweep();
    const { blobs, missing, orphans } = await storage.check();
    t.deepEqual({ blobs, missing, orphans }, { blobs: 0, missing: [], orphans: [] });
  });

  test(`${name}: a dry run reports what a run would do, and changes nothing`, async (t) => {
    const { storage, clock } = await opened(t, open);
    await fill(storage, ['a', 'b', 'keep/a']);
    await storage.initiateMultipartUpload({ bucket, key: 'a' });
    await setRules(storage, rule({ resource: [`${bucket}/a*`, `${bucket}/b*`] }), aborting());
    clock.wait(DAY);
    const events: unknown[] = [];
    storage.on('object:removed', (event) => void events.push(event));
    const steps: LifecycleStep[][] = [[], []];
    const record = (at: number) => (step: LifecycleStep) => steps[at]?.push(step);
    const dry = await storage.lifecycle.run({ dryRun: true, onAction: record(0) });
    t.deepEqual(dry, { ...NOTHING, examined: 4, deleted: 2, aborted: 1 });
    t.deepEqual(await keysOf(storage), ['a', 'b', 'keep/a']);
    t.deepEqual(await uploadsOf(storage), ['a']);
    t.deepEqual(events, []);
    t.deepEqual(await storage.lifecycle.run({ onAction: record(1) }), dry);
    t.deepEqual(steps[1], steps[0]);
    t.deepEqual(await keysOf(storage), ['keep/a']);
    t.deepEqual(await storage.lifecycle.run(), { ...NOTHING, examined: 1 });
  });
}

test('the time of a run can be set', async (t) => {
  const { storage } = await opened(t, memoryStorage);
  await fill(storage, ['a']);
  await setRules(storage, rule());
  const at = (now: number, dryRun = true) => storage.lifecycle.run({ now: new Date(now), dryRun });
  t.is((await at(NOON + DAY - 1)).deleted, 0);
  t.is((await at(NOON + DAY)).deleted, 1);
  t.is((await at(NOON + DAY, false)).deleted, 1);
});

test('a rule applies to the keys that start exactly with its prefixes', async (t) => {
  const { storage, clock } = await opened(t, memoryStorage);
  const keys = ['A/x', 'a', 'a*b', 'a/', 'a/x', 'a/x/y', 'aa/x', 'b/x', 'bucket/a/x', 'ä/x'];
  const rows = [
    [[`${bucket}/`], keys],
    [[`${bucket}/*`], keys],
    [[`${bucket}/a/*`], ['a/', 'a/x', 'a/x/y']],
    [[`${bucket}/a*`], ['a', 'a*b', 'a/', 'a/x', 'a/x/y', 'aa/x']],
    [[`${bucket}/ä/*`], ['ä/x']],
    [
      [`${bucket}/b/*`, `${bucket}/A/*`],
      ['A/x', 'b/x'],
    ],
    [[`${bucket}/${bucket}/*`], ['bucket/a/x']],
    [[`${bucket}/none/*`], []],
  ] as const;
  await fill(storage, keys);
  clock.wait(DAY);
  for (const [resource, expected] of rows) {
    await setRules(storage, rule({ resource }));
    const found: string[] = [];
    const onAction = ({ key }: LifecycleStep) => found.push(key);
    await storage.lifecycle.run({ dryRun: true, onAction });
    t.deepEqual(found.sort(), [...expected].sort(), resource.join());
    for (const key of keys) {
      const explained = await storage.lifecycle.explain(bucket, key);
      t.is(explained !== undefined, (expected as readonly string[]).includes(key), key);
    }
  }
});

test('a disabled rule has no effect, and a rule without a time acts at once', async (t) => {
  const { storage } = await opened(t, memoryStorage);
  await fill(storage, ['a']);
  await setRules(storage, rule({ status: 'disabled', expires: {} }));
  t.is((await storage.lifecycle.run()).deleted, 0);
  t.is(await storage.lifecycle.explain(bucket, 'a'), undefined);
  const { expires: _, ...timeless } = rule();
  for (const atOnce of [timeless, rule({ expires: {} })]) {
    await setRules(storage, atOnce);
    const explained = await storage.lifecycle.explain(bucket, 'a');
    t.true(explained !== undefined && +explained.at <= NOON);
    t.is((await storage.lifecycle.run({ dryRun: true })).deleted, 1);
  }
  t.is((await storage.lifecycle.run()).deleted, 1);
});

test('overlapping rules all apply: the earliest takes effect and is reported', async (t) => {
  const { storage, clock } = await opened(t, memoryStorage);
  await fill(storage, ['a/b/c', 'a/b', 'x']);
  await setRules(
    storage,
    rule({ id: 'ten', expires: days(10) }),
    rule({ id: 'five', expires: days(5), resource: [`${bucket}/a/*`] }),
    rule({ id: 'date', expires: on('2026-06-18'), resource: [`${bucket}/a/b/*`] }),
    rule({ id: 'off', expires: {}, status: 'disabled' }),
    aborting({ expires: {} }),
  );
  const explained = async (key: string) => {
    const found = await storage.lifecycle.explain(bucket, key);
    return `${found?.ruleId} ${found?.at.toISOString()}`;
  };
  t.is(await explained('a/b/c'), 'date 2026-06-18T00:00:00.000Z');
  t.is(await explained('a/b'), 'five 2026-06-20T12:00:00.000Z');
  t.is(await explained('x'), 'ten 2026-06-25T12:00:00.000Z');
  clock.wait(10 * DAY);
  const steps: string[] = [];
  const onAction = ({ key, ruleId }: LifecycleStep) => steps.push(`${key} ${ruleId}`);
  t.is((await storage.lifecycle.run({ onAction })).deleted, 3);
  t.deepEqual(steps.sort(), ['a/b five', 'a/b/c date', 'x ten']);
});

test('each bucket has its own rules, and one without rules is not affected', async (t) => {
  const { storage, clock } = await opened(t, memoryStorage);
  for (const name of ['another', 'bucket-2', 'without']) {
    await storage.putBucket({ bucket: name });
    await storage.putObject({ bucket: name, key: 'a', body: 'x' });
  }
  await fill(storage, ['a']);
  await setRules(storage, rule());
  const own = { ...rule({ expires: days(2) }), resource: ['another/*'] };
  await storage.putBucketLifecycle({ bucket: 'another', rule: [own] });
  clock.wait(DAY);
  t.deepEqual(await storage.lifecycle.run(), { ...NOTHING, examined: 2, deleted: 1 });
  t.deepEqual(await keysOf(storage, 'another'), ['a']);
  clock.wait(DAY);
  t.is((await storage.lifecycle.run()).deleted, 1);
  for (const name of ['bucket-2', 'without']) t.deepEqual(await keysOf(storage, name), ['a']);
});

test('explain throws for a missing object, and returns nothing without rules', async (t) => {
  const { storage } = await opened(t, memoryStorage);
  await fill(storage, ['a']);
  t.is(await storage.lifecycle.explain(bucket, 'a'), undefined);
  await t.throwsAsync(storage.lifecycle.explain(bucket, 'no'), { code: 'NoSuchKey' });
  await t.throwsAsync(storage.lifecycle.explain('no-bucket', 'a'), { code: 'NoSuchBucket' });
  await setRules(storage, rule());
  await storage.deleteBucketLifecycle({ bucket });
  t.is(await storage.lifecycle.explain(bucket, 'a'), undefined);
  t.deepEqual(await storage.lifecycle.run(), NOTHING);
});
