import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';
import { memoryInUse } from '../drivers/memory-in-use.js';
import { core } from '../hostile/core.js';
import { memoryStorage, OF_TESTS } from '../http/servers.js';

const MB = 2 ** 20;
const { RuleSchedule } = core.lifecycle;

const list = <T>(length: number, make: (at: number) => T): T[] =>
  Array.from({ length }, (_, at) => make(at));

const rule = (fields: object) => ({
  ...{ status: 'enabled', resource: ['bucket/*'], expires: { afterDays: 1 } },
  ...{ action: 'DeleteObject', ...fields },
});

const long = (text: string) => text.padEnd(190, 'x');

/** Rules with much text in different places. */
const RULES: Record<string, () => object[]> = {
  'in prefixes': () =>
    list(250, (at) =>
      rule({ id: `${at}`, resource: list(10, (one) => `bucket/${long(`${one}-${at}`)}/*`) }),
    ),
  'in prefixes beyond Latin-1': () =>
    list(250, (at) =>
      rule({ id: `${at}`, resource: list(5, (one) => `bucket/€${long(`${one}-${at}`)}/*`) }),
    ),
  'in ids': () => list(1000, (at) => rule({ id: long(`${at}`) })),
  'in tags': () =>
    list(250, (at) => rule({ id: `${at}`, tags: list(8, (one) => [`k${one}`, long(`${at}`)]) })),
  'in tags that all rules share': () =>
    list(1000, (at) =>
      rule({ id: `${at}`, tags: [...list(5, (one) => [`k${one}`, long('')]), ['z', `${at}`]] }),
    ),
};

test.serial('prepared rules take no more memory than estimated', async (t) => {
  const COPIES = 4;
  const measure = async (text: string): Promise<[number, number]> => {
    const prepare = () => new RuleSchedule(JSON.parse(text), 'DeleteObject');
    const before = await memoryInUse();
    const kept = list(COPIES, prepare);
    const taken = (await memoryInUse()) - before;
    return [taken, kept.reduce((sum, { bytes }) => sum + bytes, 0)];
  };
  for (const [name, make] of Object.entries(RULES)) {
    const text = JSON.stringify(make());
    new RuleSchedule(JSON.parse(text), 'DeleteObject');
    const [taken, counted] = await measure(text);
    t.log(`${name}: ${(taken / MB).toFixed(2)} MB, counted ${(counted / MB).toFixed(2)} MB`);
    t.true(taken < counted + MB / 2, `${name}: ${taken} of ${counted}`);
    t.true(counted < 3 * COPIES * text.length, name);
  }
});

test.serial('the prepared rules of a bucket are dropped with it', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const rules = list(500, (at) => ({
    ...{ id: `${at}`, status: 'enabled' as const, action: 'DeleteObject' as const },
    ...{ resource: ['bucket/*'], expires: { afterDays: 1 } },
    tags: Object.fromEntries(list(8, (one) => [`k${one}`, long(`${at}`)])),
  }));
  const use = async (isKept: boolean) => {
    const bucket = 'bucket';
    await storage.putBucket({ bucket });
    await storage.putBucketLifecycle({ bucket, rule: rules });
    await storage.putObject({ bucket, key: 'key', body: '1' });
    await storage.lifecycle.explain(bucket, 'key');
    if (isKept) return;
    await storage.deleteObject({ bucket, key: 'key' });
    await storage.deleteBucket({ bucket });
  };
  await use(false);
  const before = await memoryInUse();
  for (let round = 0; round < 8; round++) await use(false);
  t.true((await memoryInUse()) - before < 2 * MB);
  await use(true);
  const kept = (await memoryInUse()) - before;
  await storage.deleteBucketLifecycle({ bucket: 'bucket' });
  t.true((await memoryInUse()) - before < kept - MB);
});

test.serial('the prepared rules of many buckets are kept only up to a limit', async (t) => {
  const metadata = memoryMetadata();
  const storage = await createObjectStorage({ metadata, blobs: memoryBlobs(), ...OF_TESTS });
  t.teardown(() => storage.close());
  const buckets = list(48, (at) => `bucket-${at}`);
  for (const bucket of buckets) {
    await storage.putBucket({ bucket });
    await storage.putObject({ bucket, key: 'key', body: '1' });
    // About 1.6 MB for each bucket.
    const resource = (at: number) => [`${bucket}/€${'x'.repeat(800)}${at}*`];
    const rules = list(1000, (at) => ({ ...rule({ id: `${at}` }), resource: resource(at) }));
    await storage.putBucketLifecycle({ bucket, rule: rules as never });
  }
  const { get } = metadata;
  let read = 0;
  metadata.get = (key) => {
    read++;
    return get.call(metadata, key);
  };
  const readsOf = async (bucket: string) => {
    read = 0;
    await storage.lifecycle.explain(bucket, 'key');
    return read;
  };
  for (const bucket of buckets) await readsOf(bucket);
  const [first = '', last = ''] = [buckets[0], buckets.at(-1)];
  const kept = await readsOf(last);
  t.true((await readsOf(first)) > kept, 'The rules of the first bucket were still in memory.');
  t.is(await readsOf(first), kept);
});

test('rules with tags apply to objects that have all of the tags, even if rules share tags', (t) => {
  type Rules = ConstructorParameters<typeof RuleSchedule>[0];
  const rules: unknown = [
    rule({ id: 'a', tags: [['x', '1']], expires: { afterDays: 9 } }),
    rule({
      ...{ id: 'b', resource: ['bucket/logs/*'] },
      ...{
        tags: [
          ['x', '1'],
          ['y', '2'],
        ],
        expires: { afterDays: 5 },
      },
    }),
    rule({
      ...{ id: 'c', resource: ['bucket/logs/old/*', 'bucket/z*'] },
      ...{
        tags: [
          ['y', '2'],
          ['x', '1'],
        ],
        expires: { afterDays: 3 },
      },
    }),
    rule({ id: 'd', tags: [['y', '2']], expires: { at: 7 } }),
    rule({ id: 'e', expires: { afterDays: 30 } }),
    rule({ id: 'f', tags: [['x', '2']], expires: { afterDays: 1 }, status: 'disabled' }),
  ];
  const given = rules as Rules;
  const schedule = new RuleSchedule(given, 'DeleteObject');
  const first = (key: string, ...tags: [string, string][]) =>
    schedule.firstToAct(key, 0, tags)?.ruleId;
  t.is(first('key'), 'e');
  t.is(first('key', ['x', '2']), 'e');
  t.is(first('key', ['x', '1']), 'a');
  t.is(first('key', ['x', '1'], ['y', '3']), 'a');
  t.is(first('key', ['y', '2']), 'd');
  const later = new RuleSchedule(given.slice(0, 3), 'DeleteObject');
  const due = (key: string) =>
    later.firstToAct(key, 0, [
      ['x', '1'],
      ['q', '0'],
      ['y', '2'],
    ])?.ruleId;
  t.is(due('logs/a'), 'b');
  t.is(due('logs/old/a'), 'c');
  t.is(due('logs/ole'), 'b');
  t.is(due('zebra'), 'c');
  t.is(due('other'), 'a');
  const ofOneTag = [
    ['x', '2'],
    ['y', '2'],
  ] as [string, string][];
  t.is(later.firstToAct('logs/a', 0, ofOneTag), undefined);
});
