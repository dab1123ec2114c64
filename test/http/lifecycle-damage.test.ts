import {
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type RecordDamagedError,
} from '@bucketware/core';
import test from 'ava';
import { bucket, DAY, fill, keysOf, rule, setRules, stoppedClock } from './lifecycle-fixtures.js';
import { bucketIdOf, objectKeyOf } from './record-keys.js';

test('a damaged record is reported, and rules are still applied to everything else', async (t) => {
  const [metadata, clock] = [memoryMetadata(), stoppedClock()];
  const failures: RecordDamagedError[] = [];
  const onError = (error: unknown) => failures.push(error as RecordDamagedError);
  const blobs = memoryBlobs();
  const storage = await createObjectStorage({
    ...{ metadata, blobs, now: clock.now, sweepEvery: false, onError },
  });
  t.teardown(() => storage.close());
  for (const name of ['aaa', 'bbb', bucket]) await storage.putBucket({ bucket: name });
  for (const name of ['bbb', bucket]) {
    for (const key of ['a', 'b', 'c']) await storage.putObject({ bucket: name, key, body: 'old' });
  }
  await fill(storage, ['a', 'b', 'c']);
  await storage.putBucketLifecycle({
    bucket: 'bbb',
    rule: [rule({ resource: ['bbb/*'] })],
  });
  await setRules(storage, rule());
  clock.wait(DAY);

  const [settings] = await metadata.list({
    prefix: `x/${await bucketIdOf(metadata, 'bbb')}/lifecycle`,
    limit: 1,
  });
  const damaged = ['b/aaa', settings?.key ?? '', await objectKeyOf(metadata, bucket, 'b')];
  for (const key of damaged) await metadata.commit({ put: [{ key, value: { id: 7 } }] });

  const report = await storage.lifecycle.run();
  t.deepEqual([report.deleted, report.complete], [2, true]);
  t.deepEqual([...new Set(failures.map(({ key }) => key))], damaged);
  t.is((await keysOf(storage, 'bbb')).length, 3, 'the rules cannot be read');
  await t.throwsAsync(keysOf(storage), undefined, 'the damaged object is kept');
});
