import {
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test from 'ava';

const bucket = 'bucket';

/** A storage that counts the records that listings read. */
async function counted(keys: readonly string[]) {
  const inner = memoryMetadata();
  const counts = { lists: 0, records: 0 };
  const metadata: MetadataStore = {
    get: (key) => inner.get(key),
    getMany: (names) => inner.getMany(names),
    async list(range) {
      const found = await inner.list(range);
      counts.lists++;
      counts.records += found.length;
      return found;
    },
    commit: (change) => inner.commit(change),
    close: () => inner.close(),
  };
  const storage = await createObjectStorage({ blobs: memoryBlobs(), metadata, sweepEvery: false });
  await storage.putBucket({ bucket });
  for (const key of keys) await storage.putObject({ bucket, key, body: '' });
  Object.assign(counts, { lists: 0, records: 0 });
  return { storage, counts };
}

const folders = (count: number, size: number): string[] =>
  Array.from({ length: count * size }, (_, at) => `${String(at % count).padStart(4, '0')}/${at}`);

test('a page of common prefixes reads about two records for each, however many keys are below it', async (t) => {
  const { storage, counts } = await counted(folders(100, 30));
  const page = await storage.listObjects({ bucket, delimiter: '/' });
  t.is(page.commonPrefixes.length, 100);
  t.true(counts.records <= 250, `${counts.records} records`);
});

test('a page of common prefixes with one record each is read in batches', async (t) => {
  const { storage, counts } = await counted(folders(900, 1));
  const page = await storage.listObjects({ bucket, delimiter: '/' });
  t.is(page.commonPrefixes.length, 900);
  t.true(counts.lists <= 12, `${counts.lists} lists`);
  t.true(counts.records <= 1000, `${counts.records} records`);
});

test('a page without a delimiter reads the records that it returns, and one more', async (t) => {
  const { storage, counts } = await counted(folders(20, 20));
  const page = await storage.listObjects({ bucket, maxKeys: 50 });
  t.true(page.isTruncated);
  t.deepEqual(counts, { lists: 1, records: 51 });
});
