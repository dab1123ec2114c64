import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStorage } from '@bucketware/core';
import type { StoragePlace } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';
import { blobsIn, fill, LARGE, opened, restored, textOf } from '../backup/fixtures.js';
import { directoryOf } from '../drivers/fixtures.js';
import { type Missing, postgresServer, type Server } from '../keyv/servers.js';
import { newTable } from '../postgres/fixtures.js';

const server: Server | Missing = await postgresServer();
test.after.always('stop the server', async () => {
  if (typeof server !== 'string') await server.stop();
});

/**
 * Changes everything repeatedly, and removes garbage as soon as it is due. One object is only ever
 * renamed, and two objects far apart in key order are written one after the other with the same
 * number.
 */
async function churn(storage: ObjectStorage, until: AbortSignal): Promise<number> {
  const bucket = 'notes';
  for (let round = 1; ; round++) {
    await storage.renameObject({
      bucket,
      key: `${'az'[round % 2]}/wanderer`,
      from: `${'za'[round % 2]}/wanderer`,
    });
    await storage.putObject({ bucket, key: 'z/first', body: `${round}`.padEnd(70_000) });
    await storage.putObject({ bucket, key: 'a/second', body: `${round}`.padEnd(70_000) });
    await storage.copyObject({ bucket, key: 'copy', source: { bucket, key: 'z/first' } });
    await storage.appendObject({
      bucket,
      key: 'log',
      body: 'x',
      offset: 2 * LARGE.length + round - 1,
    });
    if (round % 5 === 0) await storage.deleteObject({ bucket, key: 'copy' });
    await storage.sweep();
    if (until.aborted) return round;
  }
}

/** Asserts that the backup captures a single point in time. */
async function proveInstant(t: ExecutionContext, storage: ObjectStorage): Promise<void> {
  const { contents } = await storage.listObjects({ bucket: 'notes' });
  const found = contents.filter(({ key }) => key.endsWith('/wanderer'));
  t.is(found.length, 1);
  t.true((await textOf(storage, found[0]?.key ?? '')) === LARGE);
  const [first, second] = [
    Number(await textOf(storage, 'z/first')),
    Number(await textOf(storage, 'a/second')),
  ];
  t.true(first - second === 0 || first - second === 1, `${first} and ${second}`);
  t.true((await textOf(storage, 'large')) === `${LARGE}large`);
  t.true((await textOf(storage, 'log')).startsWith(LARGE + LARGE));
  t.true((await textOf(storage, 'whole')) === LARGE);
  t.is((await storage.listMultipartUploads({ bucket: 'notes' })).uploads.length, 1);
}

function testLive(name: string, place: (directory: string) => StoragePlace): void {
  test(`a backup of a storage in use captures a single point in time, on ${name}`, async (t) => {
    const directory = await directoryOf(t);
    const storage = await opened(t, place(directory));
    // On other connections, like another process.
    const other = await opened(t, place(directory));
    await fill(storage, 300);
    for (const key of ['a/wanderer', 'z/first', 'a/second']) {
      await storage.putObject({ bucket: 'notes', key, body: key === 'a/wanderer' ? LARGE : '0' });
    }
    const stop = new AbortController();
    const changing = churn(other, stop.signal);
    const backup = join(directory, 'backup');
    try {
      for (let count = 0; count < 3; count++) {
        const { missing } = await storage.backup(backup);
        t.deepEqual(missing, []);
        await proveInstant(t, await restored(t, backup));
      }
    } finally {
      stop.abort();
    }
    t.true((await changing) > 3);
    const { removed } = await other.sweep();
    t.true(removed >= 0);
    t.is((await other.sweep()).removed, 0);
  });
}

testLive('LMDB', (directory) => ({ directory: join(directory, 'data') }));
testLive('SQLite', (directory) => ({
  directory: join(directory, 'data'),
  metadata: `sqlite:${directory}/records.db`,
}));
if (typeof server === 'string') {
  test('a backup of records in PostgreSQL', (t) => {
    t.log(`SKIPPED: ${server}.`);
    t.pass();
  });
} else {
  const table = newTable();
  testLive('PostgreSQL', (directory) => ({
    directory: join(directory, 'data'),
    metadata: server.url,
    table,
  }));
}

test('a second backup copies only new data, and drops deleted data', async (t) => {
  const directory = await directoryOf(t);
  const storage = await opened(t, { directory: join(directory, 'data') });
  await fill(storage);
  const backup = join(directory, 'backup');
  const progress: number[] = [];
  const first = await storage.backup(backup, { onProgress: ({ copied }) => progress.push(copied) });
  t.is(first.copied, first.blobs);
  t.is(progress.at(-1), first.copied);
  const same = await storage.backup(backup);
  t.deepEqual([same.copied, same.blobs, same.bytes], [0, first.blobs, first.bytes]);
  const before = await blobsIn(backup);

  await storage.deleteObject({ bucket: 'notes', key: 'other' });
  await storage.putObject({ bucket: 'notes', key: 'new', body: randomBytes(100_000) });
  await storage.appendObject({
    bucket: 'notes',
    key: 'log',
    body: 'end',
    offset: 2 * LARGE.length,
  });
  const { copied, copiedBytes, blobs } = await storage.backup(backup);
  // The new blob, and the one that has grown.
  t.deepEqual([copied, blobs], [2, first.blobs]);
  t.true(copiedBytes < first.bytes);
  const after = await blobsIn(backup);
  t.is(after.length, before.length);
  t.is(after.filter((id) => !before.includes(id)).length, 1);
  t.is((await readdir(backup)).filter((name) => name.startsWith('records-')).length, 1);
  const again = await restored(t, backup);
  t.is(await textOf(again, 'log'), `${LARGE}${LARGE}end`);
  await t.throwsAsync(textOf(again, 'other'), { code: 'NoSuchKey' });
});

test('wherever a backup is interrupted, the previous one can be restored, and the next one continues', async (t) => {
  const directory = await directoryOf(t);
  const storage = await opened(t, { directory: join(directory, 'data') });
  await fill(storage);
  const backup = join(directory, 'backup');
  await storage.backup(backup);
  await storage.deleteObject({ bucket: 'notes', key: 'large' });
  for (let index = 0; index < 12; index++) {
    await storage.putObject({ bucket: 'notes', key: `later/${index}`, body: randomBytes(70_000) });
  }
  const images: string[] = [];
  const imageOf = (index: number): string => {
    const image = join(directory, `image-${index}`);
    // Before the backup can continue.
    cpSync(backup, image, { recursive: true });
    return image;
  };
  const stop = new AbortController();
  const onProgress = ({ copied }: { copied: number }) => {
    images.push(imageOf(images.length));
    if (copied === 6) stop.abort(new Error('enough'));
  };
  const cut = storage.backup(backup, { onProgress, signal: stop.signal });
  await t.throwsAsync(cut, { message: 'enough' });
  t.true(images.length > 6);
  for (const image of [...images.filter((_, at) => at % 3 === 0), backup]) {
    const old = await restored(t, image);
    t.true((await textOf(old, 'large')) === `${LARGE}large`);
    await t.throwsAsync(textOf(old, 'later/0'), { code: 'NoSuchKey' });
  }
  // Nothing delays garbage collection any more.
  t.true((await storage.sweep()).removed > 0);
  const { copied } = await storage.backup(backup);
  t.true(copied <= 6);
  const now = await restored(t, backup);
  await t.throwsAsync(textOf(now, 'large'), { code: 'NoSuchKey' });
  t.is((await textOf(now, 'later/11')).length > 0, true);
});

test('closing a storage ends its backup', async (t) => {
  const directory = await directoryOf(t);
  const storage = await opened(t, { directory: join(directory, 'data') });
  await fill(storage);
  let closing: Promise<void> | undefined;
  const onProgress = () => {
    closing ??= storage.close();
  };
  const running = storage.backup(join(directory, 'backup'), { onProgress });
  await t.throwsAsync(running, { message: 'The storage was closed.' });
  await closing;
});
