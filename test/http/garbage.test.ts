import { setTimeout as sleep } from 'node:timers/promises';
import {
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
  StorageError,
} from '@bucketware/core';
import { openStorage } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { replaced } from '../simulator/protocol.js';
import { diskStorage } from './disk-storage.js';
import { memoryStorage } from './servers.js';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const bucket = 'bucket';
const large = (fill: string, size = 200_000): Buffer => Buffer.alloc(size, fill);

interface Clocked {
  readonly storage: ObjectStorage;
  /** Advances the clock of the storage. */
  wait(milliseconds: number): void;
}

type Open = typeof memoryStorage;

async function clocked(t: ExecutionContext, open: Open): Promise<Clocked> {
  let time = Date.now();
  const storage = await open({
    now: () => time,
    readGrace: HOUR,
    sweepEvery: false,
    reservedBlobs: 0,
  });
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket });
  const wait = (milliseconds: number) => {
    time += milliseconds;
  };
  return { storage, wait };
}

async function expectBlobs(t: ExecutionContext, storage: ObjectStorage, count: number) {
  const { blobs, missing, orphans } = await storage.check();
  t.deepEqual({ blobs, missing, orphans }, { blobs: count, missing: [], orphans: [] });
}

for (const [name, open] of Object.entries({ memory: memoryStorage, disk: diskStorage })) {
  test(`${name}: a sweep removes only overwritten and deleted data whose read grace period is over`, async (t) => {
    const { storage, wait } = await clocked(t, open);
    for (const key of ['kept', 'replaced', 'deleted', 'shrunk']) {
      await storage.putObject({ bucket, key, body: large('1') });
    }
    await expectBlobs(t, storage, 4);
    await storage.putObject({ bucket, key: 'replaced', body: large('2') });
    await storage.putObject({ bucket, key: 'shrunk', body: 'small' });
    await storage.deleteObject({ bucket, key: 'deleted' });
    await expectBlobs(t, storage, 5);
    wait(HOUR - 1);
    t.deepEqual(await storage.sweep(), { removed: 0 });
    await expectBlobs(t, storage, 5);
    wait(1);
    t.deepEqual(await storage.sweep(), { removed: 3 });
    await expectBlobs(t, storage, 2);
    wait(365 * DAY);
    t.deepEqual(await storage.sweep(), { removed: 0 });
    for (const [key, body] of [
      ['kept', large('1')],
      ['replaced', large('2')],
      ['shrunk', Buffer.from('small')],
    ] as const) {
      t.true(body.equals(await (await storage.getObject({ bucket, key })).bytes()), key);
    }
    t.is((await storage.check()).objects, 3);
  });

  test(`${name}: failed uploads leave neither records nor data`, async (t) => {
    const { storage, wait } = await clocked(t, open);
    const body = large('x');
    async function* broken() {
      yield body;
      throw new StorageError('ReadBodyError');
    }
    const put = (params: object) =>
      storage.putObject({ bucket, key: 'key', body, ...params }).then(
        () => t.fail(`${JSON.stringify(params)} was stored`),
        () => {},
      );
    await put({ contentLength: body.length + 1 });
    await put({ contentLength: body.length - 1 });
    await put({ contentMd5: 'AAAAAAAAAAAAAAAAAAAAAA==' });
    await put({ contentCrc32: 1 });
    await put({ body: broken() });
    await put({ ifMatch: '*' });
    await put({ signal: AbortSignal.abort() });
    await expectBlobs(t, storage, 0);
    wait(30 * DAY);
    await storage.sweep();
    await expectBlobs(t, storage, 0);
    t.is((await storage.check()).objects, 0);
  });

  test(`${name}: a condition that fails only at the end leaves no data`, async (t) => {
    const { storage } = await clocked(t, open);
    async function* slow() {
      yield large('late');
      await storage.putObject({ bucket, key: 'key', body: 'early' });
    }
    const put = storage.putObject({ bucket, key: 'key', body: slow(), ifNoneMatch: '*' });
    const error = await t.throwsAsync<StorageError>(put);
    t.is(error?.code, 'PreconditionFailed');
    t.is((await (await storage.getObject({ bucket, key: 'key' })).bytes()).toString(), 'early');
    await expectBlobs(t, storage, 0);
  });

  test(`${name}: a running upload is not swept, even after more than seven days`, async (t) => {
    const { storage, wait } = await clocked(t, open);
    async function* during(time: number) {
      yield large('a');
      wait(time);
      await storage.sweep();
      yield large('b');
    }
    await storage.putObject({ bucket, key: 'six', body: during(6 * DAY) });
    const expected = Buffer.concat([large('a'), large('b')]);
    const six = await storage.getObject({ bucket, key: 'six' });
    t.true(expected.equals(await six.bytes()));
    // After eight days, the upload may be rejected or stored, but the response must be true.
    const eight = await storage.putObject({ bucket, key: 'eight', body: during(8 * DAY) }).then(
      () => true,
      () => false,
    );
    if (eight) {
      const found = await storage.getObject({ bucket, key: 'eight' });
      t.true(expected.equals(await found.bytes()));
    }
    wait(30 * DAY);
    await storage.sweep();
    await expectBlobs(t, storage, eight ? 2 : 1);
  });

  test(`${name}: a running download stays complete during overwrite, delete and sweep`, async (t) => {
    const { storage, wait } = await clocked(t, open);
    const before = large('before', 5_000_000);
    for (const change of ['overwrite', 'delete'] as const) {
      await storage.putObject({ bucket, key: 'key', body: before });
      const { body, etag } = await storage.getObject({ bucket, key: 'key' });
      const chunks: Buffer[] = [];
      for await (const chunk of body) {
        if (chunks.length === 0) {
          if (change === 'delete') await storage.deleteObject({ bucket, key: 'key' });
          else await storage.putObject({ bucket, key: 'key', body: large('after', 5_000_000) });
          wait(2 * HOUR);
          await storage.sweep();
        }
        chunks.push(chunk as Buffer);
      }
      t.true(before.equals(Buffer.concat(chunks)), change);
      t.is(etag.length, 32);
    }
  });

  test(`${name}: of concurrent DeleteBucket and PutObject requests, only one succeeds`, async (t) => {
    const storage = await open({ sweepEvery: false });
    t.teardown(() => storage.close());
    const rounds = name === 'memory' ? 300 : 60;
    const won = { put: 0, delete: 0 };
    for (let round = 0; round < rounds; round++) {
      const name = `bucket-${round}`;
      await storage.putBucket({ bucket: name });
      async function* body() {
        for (let turn = 0; turn < round % 12; turn++) await new Promise(setImmediate);
        yield Buffer.alloc(round % 3 === 0 ? 100_000 : 10);
      }
      const put = storage.putObject({ bucket: name, key: 'key', body: body() });
      for (let turn = 0; turn < round % 7; turn++) await new Promise(setImmediate);
      const [stored, removed] = await Promise.allSettled([
        put,
        storage.deleteBucket({ bucket: name }),
      ]);
      t.not(stored.status, removed.status, `round ${round}`);
      const loser = stored.status === 'rejected' ? stored : removed;
      const { code } = (loser as PromiseRejectedResult).reason;
      if (stored.status === 'fulfilled') {
        won.put++;
        t.is(code, 'BucketNotEmpty');
        await (await storage.getObject({ bucket: name, key: 'key' })).bytes();
        await storage.deleteObject({ bucket: name, key: 'key' });
        await storage.deleteBucket({ bucket: name });
      } else {
        won.delete++;
        t.is(code, 'NoSuchBucket');
      }
      t.is((await storage.check()).objects, 0);
    }
    t.log(`PutObject won ${won.put} times, DeleteBucket ${won.delete} times`);
    t.true(won.put > 0 && won.delete > 0);
  });
}

test('data that cannot be removed does not keep a sweep from removing the rest', async (t) => {
  const blobs = memoryBlobs();
  let isStuck = (_id: string) => true;
  const remove = async (id: string) => {
    if (isStuck(id)) throw Object.assign(new Error('EACCES: unlink'), { code: 'EACCES' });
    return blobs.remove(id);
  };
  const stuck = replaced(blobs, { remove });
  const { storage, wait } = await clocked(t, async (options) =>
    createObjectStorage({ metadata: memoryMetadata(), blobs: stuck, ...options }),
  );
  const count = async () => (await storage.check()).blobs;
  const replace = async (times: number) => {
    for (let at = 0; at < times; at++) {
      await storage.putObject({ bucket, key: 'key', body: large(String(at)) });
    }
    wait(HOUR);
  };
  await replace(21);
  await t.throwsAsync(storage.sweep(), { message: /EACCES/ });
  t.is(await count(), 21);
  // Those whose removal has begun are the first ones of the next sweep.
  const failing = new Set<string>();
  isStuck = (id) => failing.has(id) || (failing.size < 2 && Boolean(failing.add(id)));
  await replace(20);
  await t.throwsAsync(storage.sweep(), { message: /EACCES/ });
  t.is(await count(), 3);
  isStuck = () => false;
  t.deepEqual(await storage.sweep(), { removed: 2 });
  t.is(await count(), 1);
});

test('thousands of blobs that cannot be removed do not delay the removal of later ones', async (t) => {
  const blobs = memoryBlobs();
  const stuck = new Set<string>();
  let isFailing = true;
  const remove = async (id: string) => {
    if (isFailing) stuck.add(id);
    if (stuck.has(id)) throw Object.assign(new Error('EACCES: unlink'), { code: 'EACCES' });
    return blobs.remove(id);
  };
  const { storage, wait } = await clocked(t, async (options) =>
    createObjectStorage({
      ...{ metadata: memoryMetadata(), blobs: replaced(blobs, { remove }) },
      ...{ ...options, inlineLimit: 0 },
    }),
  );
  const replace = async (times: number) => {
    for (let at = 0; at < times; at++) await storage.putObject({ bucket, key: 'key', body: 'a' });
    wait(HOUR);
  };
  await replace(6_001);
  await t.throwsAsync(storage.sweep(), { message: /EACCES/ });
  t.is(stuck.size, 6_000);
  isFailing = false;
  await replace(3);
  await t.throwsAsync(storage.sweep(), { message: /EACCES/ });
  t.is((await storage.check()).blobs, 6_001);
});

test('a storage whose blob store does not answer is closed without waiting for a sweep', async (t) => {
  const blobs = memoryBlobs();
  let removals = 0;
  const remove = async () => {
    removals++;
    await sleep(20);
    throw Object.assign(new Error('no answer'), { code: 'EHOSTDOWN' });
  };
  let isDown = false;
  let probes = 0;
  const identity = async () => {
    probes++;
    if (isDown) throw Object.assign(new Error('no answer'), { code: 'EHOSTDOWN' });
    return blobs.identity();
  };
  const stuck = replaced(blobs, { remove, identity });
  const { storage, wait } = await clocked(t, async (options) =>
    createObjectStorage({ metadata: memoryMetadata(), blobs: stuck, ...options }),
  );
  for (let at = 0; at < 200; at++) {
    await storage.putObject({ bucket, key: 'key', body: large(String(at), 70_000) });
  }
  wait(HOUR);
  // A store that answers otherwise may fail for some of its blobs only.
  await t.throwsAsync(storage.sweep(), { message: /no answer/ });
  t.is(removals, 199);
  [removals, isDown, probes] = [0, true, 0];
  await t.throwsAsync(storage.sweep(), { message: /no answer/ });
  t.true(removals < 100, `${removals}`);
  t.is(probes, 1);
  [removals, isDown] = [-1000, false];
  const sweeping = storage.sweep().catch(() => {});
  await sleep(10);
  await storage.close();
  await sweeping;
  t.true(removals < -900, `${removals}`);
});

test('records and blobs of different storages cannot be opened together', async (t) => {
  const [one, two] = [await temporaryDirectory(), await temporaryDirectory()];
  t.teardown(() => Promise.all([one.remove(), two.remove()]));
  for (const { path: directory } of [one, two]) {
    const storage = await openStorage({ directory });
    await storage.putBucket({ bucket });
    await storage.putObject({ bucket, key: 'key', body: large(directory) });
    await storage.close();
  }
  const mixed = { metadata: `lmdb:${one.path}/records`, blobs: `filesystem:${two.path}/blobs` };
  await t.throwsAsync(openStorage(mixed), { message: /belong/ });
  const fresh = { metadata: `lmdb:${one.path}/new`, blobs: `filesystem:${two.path}/blobs` };
  await t.throwsAsync(openStorage(fresh), { message: /belong/ });
  const bare = { metadata: `lmdb:${one.path}/records`, blobs: `filesystem:${two.path}/new` };
  await t.throwsAsync(openStorage(bare), { message: /belong/ });
  for (const { path: directory } of [one, two]) {
    const storage = await openStorage({ directory });
    const found = await storage.getObject({ bucket, key: 'key' });
    t.true(large(directory).equals(await found.bytes()));
    await expectBlobs(t, storage, 1);
    await storage.close();
  }
});
