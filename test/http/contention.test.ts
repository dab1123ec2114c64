import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { until } from '../drivers/fixtures.js';
import { OF_TESTS } from './servers.js';

const bucket = 'bucket';
const at = { bucket, key: 'key' };

/** A storage whose commits lose against others while `loses` is true. */
async function contended(t: ExecutionContext) {
  const metadata = memoryMetadata();
  const state = { loses: false, lost: 0 };
  const commit = metadata.commit.bind(metadata);
  metadata.commit = async (change) => {
    const changes = change.put?.some(({ key }) => key.startsWith('o/') || key.startsWith('b/'));
    if (!state.loses || !changes) return commit(change);
    state.lost++;
    return undefined;
  };
  const storage = await createObjectStorage({
    ...{ metadata, blobs: memoryBlobs(), maxBucketsPerOwner: 5_000 },
    ...OF_TESTS,
  });
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket });
  return { storage, state };
}

test('many changes of one object at the same time all succeed', async (t) => {
  const { storage } = await contended(t);
  const numbers = Array.from({ length: 900 }, (_, number) => `${number}`);
  await Promise.all(numbers.map((body) => storage.putObject({ ...at, body })));
  t.true(numbers.includes(await (await storage.getObject(at)).text()));
});

let buckets = 0;
for (const [what, change] of Object.entries({
  'an object': (put: Awaited<ReturnType<typeof contended>>['storage']) =>
    put.putObject({ ...at, body: 'data' }),
  'an owner of buckets': (put: Awaited<ReturnType<typeof contended>>['storage']) =>
    put
      .putBucket({ bucket: `new-${++buckets}` })
      .then(() => put.deleteBucket({ bucket: `new-${buckets}` }).catch(() => {})),
  'a bucket': (put: Awaited<ReturnType<typeof contended>>['storage']) =>
    put.putBucketAcl({ bucket, acl: 'private' }),
})) {
  test(`the changes of ${what} that start again are limited`, async (t) => {
    const { storage, state } = await contended(t);
    state.loses = true;
    const refused: string[] = [];
    const changes = Array.from({ length: 1_200 }, () =>
      change(storage).catch((error) => {
        refused.push(error.code);
      }),
    );
    await until(() => refused.length >= 200);
    state.loses = false;
    await Promise.all(changes);
    t.is(refused.length, 200);
    t.deepEqual(new Set(refused), new Set(['ServiceUnavailable']));
    await change(storage);
  });
}

test('a change whose client has left does not start again, and changes nothing', async (t) => {
  const { storage, state } = await contended(t);
  await storage.putObject({ ...at, body: 'before' });
  state.loses = true;
  const controller = new AbortController();
  const put = storage.putObject({ ...at, body: 'after', signal: controller.signal });
  await until(() => state.lost > 3);
  controller.abort(new Error('gone'));
  await t.throwsAsync(put, { message: 'gone' });
  state.loses = false;
  t.is(await (await storage.getObject(at)).text(), 'before');
  t.deepEqual((await storage.check()).orphans, []);
});
