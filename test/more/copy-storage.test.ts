import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type BlobStore,
  copyStore,
  createObjectStorage,
  type MetadataStore,
  type ObjectStorage,
} from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import { copyStorage, openStorage, restoreStorage, type StoragePlace } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { type Missing, postgresServer, type Server } from '../keyv/servers.js';
import { newTable } from '../postgres/fixtures.js';
import { replaced } from '../simulator/protocol.js';

const server: Server | Missing = await postgresServer();
test.after.always('stop the server', async () => {
  if (typeof server !== 'string') await server.stop();
});

const LARGE = 'large '.repeat(50_000);
const PART = 'part '.repeat(40_000);

/**
 * Creates small and large objects, one with parts, one that was appended to, and an unfinished
 * upload.
 */
async function fill(place: StoragePlace): Promise<void> {
  const storage = await openStorage(place);
  await storage.putBucket({ bucket: 'notes' });
  await storage.putBucketCors({
    bucket: 'notes',
    corsConfiguration: [{ allowedOrigins: ['*'], allowedMethods: ['GET'] }],
  });
  for (let index = 0; index < 600; index++) {
    await storage.putObject({ bucket: 'notes', key: `small/${index}`, body: `text ${index}` });
  }
  await storage.putObject({ bucket: 'notes', key: 'large', body: LARGE });
  const log = { bucket: 'notes', key: 'log', body: LARGE };
  await storage.appendObject(log);
  await storage.appendObject({ ...log, offset: LARGE.length });
  for (const key of ['whole', 'under-way']) {
    const { uploadId } = await storage.initiateMultipartUpload({ bucket: 'notes', key });
    const upload = { bucket: 'notes', key, uploadId };
    const { etag } = await storage.uploadPart({ ...upload, partNumber: 1, body: PART });
    const parts = [{ partNumber: 1, etag }];
    if (key === 'whole') await storage.completeMultipartUpload({ ...upload, parts });
  }
  await storage.close();
}

const textOf = async (storage: ObjectStorage, key: string): Promise<string> =>
  (await storage.getObject({ bucket: 'notes', key })).text();

async function proveCopy(t: ExecutionContext, place: StoragePlace): Promise<void> {
  const storage = await openStorage(place);
  t.true((await textOf(storage, 'large')) === LARGE);
  t.true((await textOf(storage, 'log')) === LARGE + LARGE);
  t.true((await textOf(storage, 'whole')) === PART);
  t.is(await textOf(storage, 'small/599'), 'text 599');
  const { uploads } = await storage.listMultipartUploads({ bucket: 'notes' });
  t.is(uploads.length, 1);
  t.is((await storage.getBucketCors({ bucket: 'notes' })).corsConfiguration.length, 1);
  const { missing, orphans } = await storage.check();
  t.deepEqual([missing, orphans], [[], []]);
  // The copy can be used independently.
  await storage.putObject({ bucket: 'notes', key: 'new', body: 'new' });
  await storage.close();
}

const rows = (): StoragePlace['metadata'] => (typeof server === 'string' ? undefined : server.url);

async function placesOf(t: ExecutionContext) {
  const directory = await directoryOf(t);
  const placeOf = (name: string) => ({ directory: join(directory, name) });
  return { directory, from: placeOf('a'), to: placeOf('b') };
}

test('a storage moves from LMDB to SQLite, to PostgreSQL, and back', async (t) => {
  const directory = await directoryOf(t);
  const sqlite = { directory: join(directory, '1'), metadata: `sqlite:${directory}/records.db` };
  const postgres = { directory: join(directory, '2'), metadata: rows(), table: newTable() };
  const places: readonly StoragePlace[] = [
    { directory: join(directory, '0') },
    sqlite,
    ...(postgres.metadata === undefined ? [] : [postgres]),
    { directory: join(directory, '3') },
  ];
  if (typeof server === 'string') t.log(`SKIPPED PostgreSQL: ${server}.`);
  await fill(places[0] as StoragePlace);
  for (const [index, to] of places.slice(1).entries()) {
    const from = places[index] as StoragePlace;
    const { passes, records, bytes, verified } = await copyStorage({ from, to });
    t.is(passes, 2);
    t.true(records > 600 && bytes > 3 * LARGE.length);
    t.deepEqual([verified.found, verified.next], [0, undefined]);
    await proveCopy(t, to);
  }
});

test('an interrupted copy does not open, and continues', async (t) => {
  const { from, to } = await placesOf(t);
  await fill(from);
  for (const limit of [1, 3, 260]) {
    const stop = new AbortController();
    const onProgress = ({ blobs, records }: { blobs: number; records: number }) => {
      if (blobs + records >= limit) stop.abort(new Error('enough'));
    };
    const copying = copyStorage({ from, to, onProgress, signal: stop.signal });
    await t.throwsAsync(copying, { message: 'enough' });
    await t.throwsAsync(openStorage(to), { message: /an unfinished copy of a storage/ });
  }
  const { verified } = await copyStorage({ from, to });
  t.is(verified.found, 0);
  await proveCopy(t, to);
});

test('a copy that is stopped while it is verified rejects, and can be opened', async (t) => {
  const { directory, from, to } = await placesOf(t);
  await fill(from);
  const storage = await openStorage(from);
  const backup = join(directory, 'backup');
  await storage.backup(backup);
  await storage.close();
  const stopped = async (
    name: string,
    fill: (to: StoragePlace, signal: AbortSignal) => Promise<unknown>,
  ) => {
    const place = { directory: join(to.directory, name) };
    const stop = new AbortController();
    const blobs = await filesystemBlobs({ directory: join(place.directory, 'blobs') });
    const read: BlobStore['read'] = (...call) => {
      stop.abort(new Error('enough'));
      return blobs.read(...call);
    };
    // A copy reads nothing from its target.
    const filling = fill({ ...place, blobs: replaced(blobs, { read }) }, stop.signal);
    await t.throwsAsync(filling, { message: 'enough' });
    await proveCopy(t, place);
  };
  await stopped('copied', (to, signal) => copyStorage({ from, to, signal }));
  await stopped('restored', (to, signal) => restoreStorage({ from: backup, to, signal }));
});

test('partly written or changed data is copied again after an interruption', async (t) => {
  const { from, to } = await placesOf(t);
  await fill(from);
  const stop = new AbortController();
  const onProgress = ({ records }: { records: number }) => {
    if (records > 0) stop.abort(new Error('enough'));
  };
  const copying = copyStorage({ from, to, onProgress, signal: stop.signal });
  await t.throwsAsync(copying, { message: 'enough' });
  const copied = await filesystemBlobs({ directory: join(to.directory, 'blobs') });
  for await (const { id } of copied.list()) {
    await copied.append(id, 10, Readable.from([Buffer.from('torn')]));
  }
  await copied.close();
  const storage = await openStorage(from);
  await storage.deleteObject({ bucket: 'notes', key: 'small/0' });
  await storage.putObject({ bucket: 'notes', key: 'later', body: LARGE });
  await storage.close();
  const { verified } = await copyStorage({ from, to });
  t.is(verified.found, 0);
  await proveCopy(t, to);
  const again = await openStorage(to);
  await t.throwsAsync(textOf(again, 'small/0'), { code: 'NoSuchKey' });
  t.true((await textOf(again, 'later')) === LARGE);
  await again.close();
});

test('a target that is not empty is rejected, and stays unchanged', async (t) => {
  const { directory, from, to } = await placesOf(t);
  await fill(from);
  await t.throwsAsync(copyStorage({ from: to, to: from }), { message: /nothing to copy/ });
  const other = await openStorage(to);
  await other.putBucket({ bucket: 'other' });
  await other.close();
  await t.throwsAsync(copyStorage({ from, to }), { message: /already contains the storage/ });
  await t.throwsAsync(copyStorage({ from, to: from }), { message: /already contains the storage/ });
  const mixed = { metadata: `lmdb:${directory}/new`, blobs: `filesystem:${to.directory}/blobs` };
  await t.throwsAsync(copyStorage({ from, to: mixed }), { message: /blobs of the target belong/ });
  const sharing = { ...from, metadata: `lmdb:${directory}/new` };
  await t.throwsAsync(copyStorage({ from, to: sharing }), {
    message: /blobs of the target belong/,
  });
  const misspelled = { directory: to.directory, metdata: 'memory' };
  await t.throwsAsync(copyStorage({ from, to: misspelled }), { message: /Did you mean metadata/ });
  const again = await openStorage(to);
  t.is((await again.listBuckets()).buckets.length, 1);
  await again.close();
  t.deepEqual((await readdir(directory)).sort(), ['a', 'b', 'new']);
});

test('a failure during the copy of blobs ends the copy with its reason', async (t) => {
  const { from, to } = await placesOf(t);
  const storage = await openStorage({ ...from, inlineLimit: 0 });
  await storage.putBucket({ bucket: 'notes' });
  for (let index = 0; index < 60; index++) {
    await storage.putObject({ bucket: 'notes', key: `${index}`, body: 'text' });
  }
  await storage.close();
  const onProgress = ({ blobs }: { blobs: number }) => {
    if (blobs === 10) throw new Error('no more');
  };
  await t.throwsAsync(copyStorage({ from, to, onProgress }), { message: 'no more' });
  t.is((await copyStorage({ from, to })).verified.objects, 60);
});

test('the source, or a finished copy, is rejected as a target, whatever its metadata store', async (t) => {
  const { directory, from, to } = await placesOf(t);
  await fill(from);
  await copyStorage({ from, to });
  const original = await openStorage(from);
  await original.putObject({ bucket: 'notes', key: 'new', body: LARGE });
  const records = `lmdb:${directory}/new`;
  const restoring = copyStorage({ from: to, to: { ...from, metadata: records } });
  await t.throwsAsync(restoring, { message: /blobs of the target belong/ });
  t.true((await textOf(original, 'new')) === LARGE);
  await original.close();
});

test('a copy that another one has overtaken makes no more changes', async (t) => {
  const { from, to } = await placesOf(t);
  await fill(from);
  const metadata: MetadataStore = await lmdbMetadata({
    directory: join(from.directory, 'records'),
  });
  const blobs: BlobStore = await filesystemBlobs({ directory: join(from.directory, 'blobs') });
  let resume = (): void => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  let reach = (): void => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const slow: MetadataStore = {
    async list(range) {
      reach();
      await resumed;
      return metadata.list(range);
    },
    get: (key) => metadata.get(key),
    getMany: (keys) => metadata.getMany(keys),
    commit: (change) => metadata.commit(change),
    close: async () => undefined,
  };
  const target = {
    metadata: await lmdbMetadata({ directory: join(to.directory, 'records') }),
    blobs: await filesystemBlobs({ directory: join(to.directory, 'blobs') }),
  };
  const overtaken = copyStore({ from: { metadata: slow, blobs }, to: target });
  await reached;
  await copyStore({ from: { metadata, blobs }, to: target });
  const storage = await createObjectStorage(target);
  await storage.putObject({ bucket: 'notes', key: 'new', body: LARGE });
  resume();
  await t.throwsAsync(overtaken, { message: /Another call is copying/ });
  t.true((await textOf(storage, 'new')) === LARGE);
  await storage.close();
  await Promise.all([metadata.close(), blobs.close()]);
});

test('copying fails if the writers of the source do not stop', async (t) => {
  const directory = await directoryOf(t);
  const from = { directory: join(directory, 'a') };
  await fill(from);
  const metadata: MetadataStore = await lmdbMetadata({
    directory: join(from.directory, 'records'),
  });
  const blobs: BlobStore = await filesystemBlobs({ directory: join(from.directory, 'blobs') });
  let count = 0;
  const list = async (range: Parameters<MetadataStore['list']>[0]) => {
    await metadata.commit({ put: [{ key: 'zzz', value: count++ }] });
    return metadata.list(range);
  };
  const busy: MetadataStore = {
    list,
    get: (key) => metadata.get(key),
    getMany: (keys) => metadata.getMany(keys),
    commit: (change) => metadata.commit(change),
    close: () => metadata.close(),
  };
  const to = { directory: join(directory, 'b') };
  const copying = copyStorage({ from: { metadata: busy, blobs }, to });
  await t.throwsAsync(copying, { message: /still being changed. Stop its writers/ });
});
