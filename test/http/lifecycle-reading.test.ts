import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';
import { rule } from './lifecycle-fixtures.js';
import { alice, bob } from './servers.js';

test('the rules of one owner are read one at a time, and others do not wait for them', async (t) => {
  const [inner, blobs] = [memoryMetadata(), memoryBlobs()];
  const bobs = Array.from({ length: 8 }, (_, number) => `bobs-${number}`);
  const before = await createObjectStorage({ metadata: inner, blobs, sweepEvery: false });
  for (const [owner, bucket] of [
    [alice, 'alices'],
    ...bobs.map((name) => [bob, name] as const),
  ] as const) {
    const storage = before.as(owner);
    await storage.putBucket({ bucket });
    await storage.putObject({ bucket, key: 'key', body: 'data' });
    await storage.putBucketLifecycle({ bucket, rule: [rule({ resource: [`${bucket}/*`] })] });
  }

  // An opening that has not read any rules yet, with records that take a while.
  let [reading, most] = [0, 0];
  const get = async (key: string) => {
    if (!key.endsWith('/lifecycle')) return inner.get(key);
    most = Math.max(most, ++reading);
    await sleep(20);
    reading--;
    return inner.get(key);
  };
  const metadata = new Proxy(inner, {
    get(target, name: keyof typeof inner) {
      const value = name === 'get' ? get : target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const storage = await createObjectStorage({ metadata, blobs, sweepEvery: false });
  t.teardown(() => storage.close());
  const ended: string[] = [];
  const head = async (bucket: string) => {
    const { expiration } = await storage.getObjectMeta({ bucket, key: 'key' });
    t.is(expiration?.ruleId, 'rule');
    ended.push(bucket);
  };
  await Promise.all(bobs.slice(0, 4).map(head));
  t.is(most, 1);
  await Promise.all([...bobs.slice(4), 'alices'].map(head));
  t.is(most, 2);
  t.true(ended.indexOf('alices') < ended.length - 1);
  most = 0;
  // The calls of a user take turns, as listings do.
  const own = storage.as(bob);
  const read = await Promise.all(bobs.map((bucket) => own.getBucketLifecycle({ bucket })));
  t.is(most, 4);
  t.deepEqual(
    read.map(({ rule: [first] }) => first?.resource),
    bobs.map((bucket) => [`${bucket}/*`]),
  );
});
