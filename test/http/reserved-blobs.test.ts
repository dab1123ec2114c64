import {
  type Change,
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test from 'ava';
import { until } from '../drivers/fixtures.js';
import { block, delegate, outcome } from './soundness.js';

const bucket = 'reserved';
const MINUTE = 60_000;

/** A storage in memory that records its commits and writes in order. */
async function watchedStorage(refuse: (change: Change) => boolean = () => false) {
  const [inner, bytes] = [memoryMetadata(), memoryBlobs()];
  let time = Date.parse('2030-01-01T00:00:00Z');
  const steps: string[] = [];
  const metadata: MetadataStore = {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (range) => inner.list(range),
    close: async () => {}, // The test examines the store afterwards.
    async commit(change) {
      const reserves = change.put?.every(({ key }) => key.startsWith('g/'));
      steps.push(reserves ? `reserve ${change.put?.length}` : 'commit');
      if (refuse(change)) throw new Error('The records are away.');
      return inner.commit(change);
    },
  };
  const blobs = {
    ...delegate(bytes),
    write: (id: string, source: AsyncIterable<Uint8Array>) => {
      steps.push('write');
      return bytes.write(id, source);
    },
  };
  const open = (now: () => number) =>
    createObjectStorage({ metadata, blobs, now, sweepEvery: false, onError: () => {} });
  const storage = await open(() => time);
  await storage.putBucket({ bucket });
  const tombstones = async () => (await inner.list({ prefix: 'g/', limit: 100 })).length;
  const put = async (key: string): Promise<string[]> => {
    steps.length = 0;
    await storage.putObject({ bucket, key, body: block('x') });
    return [...steps];
  };
  const wait = (milliseconds: number) => {
    time += milliseconds;
  };
  return { storage, metadata, blobs, open, put, tombstones, wait };
}

test('only the first large upload waits for a reservation, and reading makes none', async (t) => {
  const { storage, put, tombstones } = await watchedStorage();
  await storage.listObjects({ bucket });
  t.is(await tombstones(), 0);
  t.deepEqual(await put('first'), ['reserve 9', 'write', 'commit']);
  for (let count = 0; count < 20; count++) {
    const steps = await put(`key-${count}`);
    // From time to time, more ids are reserved, but the upload does not wait for that.
    t.deepEqual(
      steps.filter((step) => !step.startsWith('reserve')),
      ['write', 'commit'],
    );
    t.not(steps[0], 'reserve 1');
  }
  const many = Array.from({ length: 40 }, (_, at) => put(`many-${at}`));
  await Promise.all(many);
  t.is((await storage.check()).orphans.length, 0);
});

test('reservations are released when the storage is closed', async (t) => {
  const { storage, put, tombstones } = await watchedStorage();
  await put('key');
  t.is(await tombstones(), 8);
  await storage.close();
  t.is(await tombstones(), 0);
});

test('a sweep does not remove reserved ids until they are too old to be used', async (t) => {
  const { storage, put, tombstones, wait } = await watchedStorage();
  await put('key');
  wait(9 * MINUTE);
  await storage.sweep();
  t.deepEqual((await put('soon')).slice(0, 1), ['write']);
  wait(11 * MINUTE);
  t.deepEqual(await put('late'), ['reserve 9', 'write', 'commit']);
  wait(8 * 24 * 60 * MINUTE);
  await storage.sweep();
  t.is(await tombstones(), 0);
  const { blobs, orphans, missing } = await storage.check();
  t.deepEqual({ blobs, orphans, missing }, { blobs: 3, orphans: [], missing: [] });
});

test('if another process has swept reserved ids, one upload is rejected, and the next succeeds', async (t) => {
  const { storage, put, open } = await watchedStorage();
  await put('key');
  const ahead = await open(() => Date.parse('2030-02-01T00:00:00Z'));
  await ahead.sweep();
  t.is(await outcome(put('refused')), 'ServiceUnavailable');
  await put('another');
  await storage.sweep();
  const { blobs, orphans, missing } = await storage.check();
  t.deepEqual({ blobs, orphans, missing }, { blobs: 2, orphans: [], missing: [] });
});

test('a reservation that fails in the background is retried by the upload that needs it', async (t) => {
  let away = false;
  const { put, storage } = await watchedStorage(
    ({ put = [] }) => away && put.length > 0 && put.every(({ key }) => key.startsWith('g/')),
  );
  await put('first');
  away = true;
  for (let count = 0; count < 8; count++) await put(`key-${count}`);
  t.is(await outcome(put('none is left')), 'The records are away.');
  away = false;
  await until(async () => (await outcome(put('again'))) === 'done');
  t.is((await storage.check()).orphans.length, 0);
});

test('a metadata store that wrongly reports that a commit had no effect does not destroy data', async (t) => {
  const inner = memoryMetadata();
  let lies = false;
  const metadata: MetadataStore = {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (range) => inner.list(range),
    close: () => inner.close(),
    async commit(change) {
      const version = await inner.commit(change);
      if (!lies || !change.delete?.some((key) => key.startsWith('g/'))) return version;
      lies = false;
      return undefined;
    },
  };
  let time = Date.now();
  const storage = await createObjectStorage({
    ...{ metadata, blobs: memoryBlobs(), now: () => time, sweepEvery: false, onError: () => {} },
  });
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket });
  const [first, second] = [block('a'), block('b')];
  await storage.putObject({ bucket, key: 'put', body: first });
  await storage.appendObject({ bucket, key: 'log', body: first });
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'parts' });
  const part = { bucket, key: 'parts', uploadId, partNumber: 1 };
  const offset = first.length;
  const changes = [
    () => storage.putObject({ bucket, key: 'put', body: second }),
    () => storage.appendObject({ bucket, key: 'log', offset, body: block('c', 4 * 1024 * 1024) }),
    () => storage.uploadPart({ ...part, body: second }),
  ];
  for (const change of changes) {
    lies = true;
    await t.throwsAsync(change(), { message: /had no effect, but it had|OffsetIncorrect|offset/ });
    t.false(lies);
  }
  time += 30 * 24 * 60 * 60 * 1000;
  await storage.sweep();
  const { missing } = await storage.check();
  t.deepEqual(missing, []);
  const { damaged } = await storage.scrub();
  t.deepEqual(damaged, []);
  t.deepEqual(await (await storage.getObject({ bucket, key: 'put' })).bytes(), second);
});
