import { randomBytes } from 'node:crypto';
import {
  BlobDamagedError,
  type BlobStore,
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import { openStorage } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';
import { alice, listen, onNode } from '../http/servers.js';
import { delegate } from '../http/soundness.js';
import { credentials, urlOf } from './fixtures.js';
import { type Store, s3Store } from './store.js';

process.env.AWS_ACCESS_KEY_ID = credentials.accessKeyId;
process.env.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey;

const headers = { authorization: 'Bearer alice' };
const large = randomBytes(300_000);
const DAY = 24 * 60 * 60 * 1000;

/** A server with data in an S3 store whose faults the test chooses. */
async function serve(t: ExecutionContext) {
  const store = await s3Store();
  let time = Date.now();
  const storage = await openStorage({
    ...{ metadata: 'memory', blobs: urlOf(store), sweepEvery: false, reservedBlobs: 0 },
    now: () => time,
  });
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const { origin, close } = await listen(onNode(storage, { onError }));
  t.teardown(async () => {
    await close();
    await storage.close();
    await store.close();
  });
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const call = (method: string, key: string, body?: Buffer) =>
    fetch(`${origin}/bucket/${key}`, { method, headers, ...(body && { body }) });
  return { store, storage, errors, call, wait: () => (time += 8 * DAY) };
}

async function proveSound(t: ExecutionContext, storage: ObjectStorage, store: Store) {
  await storage.sweep();
  const { missing, orphans, blobs } = await storage.check();
  t.deepEqual({ missing, orphans }, { missing: [], orphans: [] });
  t.is(store.objects.size, blobs + 1);
  return blobs;
}

test('an unavailable store is 503 with Retry-After, and nothing is lost or left over', async (t) => {
  const { store, storage, call, errors, wait } = await serve(t);
  t.is((await call('PUT', 'large', large)).status, 200);
  t.is((await call('PUT', 'small', Buffer.from('small'))).status, 200);
  for (const fault of [{ status: 503 }, 'cut', 'lost'] as const) {
    store.fault = () => fault;
    const answers = [call('PUT', 'new', large), call('GET', 'large')];
    for (const { status, headers: given } of await Promise.all(answers)) {
      t.deepEqual([status, given.get('retry-after')], [503, '5']);
    }
    t.is((await call('PUT', 'small', Buffer.from('in a record'))).status, 200);
    t.is(await (await call('GET', 'small')).text(), 'in a record');
    t.is(errors.splice(0).length, 2);
  }
  store.fault = () => undefined;
  t.is((await call('GET', 'new')).status, 404);
  t.true(Buffer.from(await (await call('GET', 'large')).arrayBuffer()).equals(large));
  wait();
  t.is(await proveSound(t, storage, store), 1);
});

test('corrupted data is never returned as complete', async (t) => {
  const { store, call, errors } = await serve(t);
  await call('PUT', 'large', large);
  store.fault = ({ name }) => (name === 'GetObject' ? 'wrong' : undefined);
  const body = call('GET', 'large').then((answer) => answer.arrayBuffer());
  await t.throwsAsync(body, undefined, 'The connection is cut before the end.');
  t.true(errors.some((error) => error instanceof BlobDamagedError));
  await call('PUT', 'less', large.subarray(0, 100_000));
  t.is((await call('GET', 'less')).status, 500);
});

test('a log is read, copied and removed like any other object', async (t) => {
  const { store, storage, wait } = await serve(t);
  const at = { bucket: 'bucket', key: 'log' };
  const lines = Array.from({ length: 40 }, () => randomBytes(500));
  for (const [index, body] of lines.entries()) {
    await storage.appendObject({ ...at, ...(index > 0 ? { offset: index * 500 } : {}), body });
  }
  await storage.copyObject({ bucket: 'bucket', key: 'copy', source: at });
  for (const key of ['log', 'copy']) {
    const object = await storage.getObject({ bucket: 'bucket', key });
    t.true((await object.bytes()).equals(Buffer.concat(lines)));
  }
  wait();
  t.true((await proveSound(t, storage, store)) < 40);
  await storage.deleteObject(at);
  await storage.deleteObject({ bucket: 'bucket', key: 'copy' });
  wait();
  t.is(await proveSound(t, storage, store), 0);
});

test("another storage's prefix is rejected, and so is one whose records are gone", async (t) => {
  const { store } = await serve(t);
  const opening = () => openStorage({ metadata: 'memory', blobs: urlOf(store) });
  await t.throwsAsync(opening, { message: /blobs belong to the storage/ });
  store.objects.set('pre/fix/storage.json', Buffer.from('{"storageId":"other","layout":1}'));
  await t.throwsAsync(opening, { message: /blobs belong to the storage other/ });
});

test('processes that open a new storage at the same moment share it', async (t) => {
  const store = await s3Store();
  t.teardown(() => store.close());
  const metadata = memoryMetadata();
  const opening = () => openStorage({ metadata, blobs: urlOf(store), sweepEvery: false });
  const [first, second, third] = await Promise.all([opening(), opening(), opening()]);
  await first.putBucket({ bucket: 'bucket' });
  await Promise.all(
    [first, second, third].map((one, at) =>
      one.putObject({ bucket: 'bucket', key: `large-${at}`, body: large }),
    ),
  );
  const { objects, blobs, missing, orphans } = await second.check();
  t.deepEqual(
    { objects, blobs, missing, orphans },
    { objects: 3, blobs: 3, missing: [], orphans: [] },
  );
});

test('a process that checked the blobs before another one claimed them checks again', async (t) => {
  const [metadata, blobs] = [memoryMetadata(), memoryBlobs()];
  const open = (late: BlobStore) =>
    createObjectStorage({ metadata, blobs: late, sweepEvery: false });
  let isLate = true;
  const late = Object.assign(delegate(blobs), {
    async identity() {
      const seen = await blobs.identity();
      if (isLate) {
        isLate = false;
        await open(blobs);
      }
      return seen;
    },
  });
  await t.notThrowsAsync(open(late));
  await t.throwsAsync(open(memoryBlobs()), { message: /the blobs to none/ });
});
