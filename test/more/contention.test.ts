import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { until } from '../drivers/fixtures.js';
import { OF_TESTS } from '../http/servers.js';

const bucket = 'bucket';
const at = { bucket, key: 'key' };

/** A storage whose commits lose against others while `loses` is true. */
async function contended(t: ExecutionContext) {
  const metadata = memoryMetadata();
  const state = { loses: false, lost: 0 };
  const commit = metadata.commit.bind(metadata);
  metadata.commit = async (change) => {
    const changes = change.put?.some(({ key }) => /^[bopu]\//.test(key));
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

type Contended = Awaited<ReturnType<typeof contended>>['storage'];
type Prepare = (storage: Contended) => (number: number) => Promise<unknown>;

/** Larger than what is stored in records: the commit also adopts a blob. */
const LARGE = Buffer.alloc(70_000);

const SAME_RECORD: Record<
  string,
  Prepare | ((storage: Contended) => Promise<ReturnType<Prepare>>)
> = {
  'an object': (storage) => () => storage.putObject({ ...at, body: 'data' }),
  'a large object': (storage) => () => storage.putObject({ ...at, body: LARGE }),
  'a copy': async (storage) => {
    await storage.putObject({ bucket, key: 'source', body: LARGE });
    return () => storage.copyObject({ ...at, source: { bucket, key: 'source' } });
  },
  'a part': async (storage) => {
    const { uploadId } = await storage.initiateMultipartUpload(at);
    return () => storage.uploadPart({ ...at, uploadId, partNumber: 1, body: LARGE });
  },
  'the target of renames': async (storage) => {
    const keys = Array.from({ length: 1_201 }, (_, number) => `source-${number}`);
    await Promise.all(keys.map((key) => storage.putObject({ bucket, key, body: 'data' })));
    return (number) => storage.renameObject({ ...at, from: `source-${number}` });
  },
  'an owner of buckets': (storage) => async (number) => {
    await storage.putBucket({ bucket: `new-${number}` });
    await storage.deleteBucket({ bucket: `new-${number}` });
  },
  'a bucket': (storage) => () => storage.putBucketAcl({ bucket, acl: 'private' }),
};

for (const [what, prepare] of Object.entries(SAME_RECORD)) {
  test(`the changes of ${what} that start again are limited`, async (t) => {
    const { storage, state } = await contended(t);
    const change = await prepare(storage);
    state.loses = true;
    const refused: string[] = [];
    const changes = Array.from({ length: 1_200 }, (_, number) =>
      change(number).catch((error) => {
        refused.push(error.code);
      }),
    );
    await until(() => refused.length >= 200);
    state.loses = false;
    await Promise.all(changes);
    t.is(refused.length, 200);
    t.deepEqual(new Set(refused), new Set(['ServiceUnavailable']));
    await change(1_200);
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

test('a completion whose upload changes again and again ends', async (t) => {
  const { storage, state } = await contended(t);
  const { uploadId } = await storage.initiateMultipartUpload(at);
  const { etag } = await storage.uploadPart({ ...at, uploadId, partNumber: 1, body: 'part' });
  const upload = { ...at, uploadId, parts: [{ partNumber: 1, etag }] };
  state.loses = true;
  await t.throwsAsync(storage.completeMultipartUpload(upload), { code: 'ServiceUnavailable' });
  state.loses = false;
  await storage.completeMultipartUpload(upload);
  t.is(await (await storage.getObject(at)).text(), 'part');
});
