import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { createObjectStorage, type ObjectStorage } from '@bucketware/core';
import { memoryBlobs, memoryMetadata } from '@bucketware/core/memory';
import { filesystemBlobs } from '@bucketware/filesystem';
import { restoreStorage } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { blobsIn, fill, gated, opened, restored, textOf } from './fixtures.js';

const program = fileURLToPath(new URL('./backup-elsewhere.js', import.meta.url));

/** A storage with its records in SQLite, which all threads and processes can open, and a backup. */
async function backedUp(t: ExecutionContext) {
  const directory = await directoryOf(t);
  const place = {
    directory: join(directory, 'data'),
    metadata: `sqlite:${directory}/records.db`,
    durability: 'relaxed',
  } as const;
  const storage = await opened(t, place);
  await fill(storage);
  const backup = join(directory, 'backup');
  await storage.backup(backup);
  return { place, storage, backup };
}

async function change(storage: ObjectStorage): Promise<void> {
  await storage.deleteObject({ bucket: 'notes', key: 'large' });
  await storage.putObject({ bucket: 'notes', key: 'new', body: 'new'.padEnd(70_000) });
}

/** Sets the time of the last renewal back, as if the call had been paused since then. */
const pretendPaused = (backup: string) => utimes(join(backup, 'lock'), 0, 0);

test('two calls never use one directory at the same time', async (t) => {
  const { storage, backup } = await backedUp(t);
  let second: Promise<unknown> | undefined;
  const onProgress = () => {
    second ??= t.throwsAsync(storage.backup(backup), { message: /Another call is using/ });
  };
  await storage.backup(backup, { onProgress });
  await second;
  // The lock of a process on another machine that was active a moment ago.
  await writeFile(join(backup, 'lock'), JSON.stringify({ host: 'elsewhere', pid: 1, id: 'x' }));
  await t.throwsAsync(storage.backup(backup), { message: /or was interrupted a moment ago/ });
  await rm(join(backup, 'lock'));
  await storage.backup(backup);
});

test('a link in the place of the lock is not mistaken for a call that is running', async (t) => {
  const { storage, backup } = await backedUp(t);
  await symlink(join(backup, 'nothing'), join(backup, 'lock'));
  await t.throwsAsync(storage.backup(backup), { message: /lock is not a file, .* Remove it/ });
  await rm(join(backup, 'lock'));
  await storage.backup(backup);
});

test('a backup is not disturbed by other threads and by processes of other containers', async (t) => {
  const { place, storage, backup } = await backedUp(t);
  await change(storage);
  const blobs = gated(await filesystemBlobs({ directory: join(place.directory, 'blobs') }), 'read');
  const slow = await opened(t, { ...place, blobs: blobs.slow });
  const running = slow.backup(backup);
  await blobs.reached;
  const inUse = /^Another call is using/;

  const thread = new Worker(program, { workerData: { place, backup } });
  const [[outcome]] = await Promise.all([once(thread, 'message'), once(thread, 'exit')]);

  // A container with the same host name. It does not see the processes outside.
  const job = JSON.stringify({ place, backup });
  const inside = ['--pid', '--fork', '--mount-proc', process.execPath, program, job];
  const container = await promisify(execFile)('unshare', inside).catch((error: Error) => error);
  blobs.open();
  await running;

  t.regex(outcome, inUse);
  if (container instanceof Error) t.log(`SKIPPED: no container can be started: ${container}`);
  else t.regex(container.stdout, inUse);
  await t.throwsAsync(textOf(await restored(t, backup), 'large'), { code: 'NoSuchKey' });
});

/** Two storages on the same data, the second of which can be paused, and a backup. */
async function paused(t: ExecutionContext, at: 'read' | 'commit', call: number) {
  const blobs = memoryBlobs();
  const metadata = memoryMetadata();
  const options = { sweepEvery: false, readGrace: 0 } as const;
  const storage = await createObjectStorage({ ...options, metadata, blobs });
  await fill(storage);
  const backup = join(await directoryOf(t), 'backup');
  await storage.backup(backup);
  await change(storage);
  const reads = gated(blobs, 'read', at === 'read' ? call : Number.POSITIVE_INFINITY);
  const commits = gated(metadata, 'commit', at === 'commit' ? call : Number.POSITIVE_INFINITY);
  const gate = at === 'read' ? reads : commits;
  const drivers = { metadata: commits.slow, blobs: reads.slow };
  return { storage, backup, gate, slow: await createObjectStorage({ ...options, ...drivers }) };
}

for (const [where, method, call] of [
  ['while it copies blobs', 'read', 1],
  ['just before its end', 'commit', 2],
] as const) {
  test(`a backup that was paused ${where} changes nothing after another took over`, async (t) => {
    const { storage, backup, gate, slow } = await paused(t, method, call);
    const running = t.throwsAsync(slow.backup(backup), { message: /has taken over the backup/ });
    await gate.reached;
    await pretendPaused(backup);
    await storage.deleteObject({ bucket: 'notes', key: 'other' });
    await storage.backup(backup);
    const [names, blobs] = [await readdir(backup), await blobsIn(backup)];
    gate.open();
    await running;
    t.deepEqual([await readdir(backup), await blobsIn(backup)], [names, blobs]);
    const now = await restored(t, backup);
    t.is((await textOf(now, 'new')).length, 70_000);
    await t.throwsAsync(textOf(now, 'other'), { code: 'NoSuchKey' });
  });
}

test('a restoration that was paused while a backup took over fails', async (t) => {
  const { storage, backup } = await paused(t, 'read', 1);
  const { slow, reached, open } = gated(memoryBlobs(), 'write');
  const to = { metadata: memoryMetadata(), blobs: slow };
  const running = t.throwsAsync(restoreStorage({ from: backup, to }), {
    message: /has taken over the backup/,
  });
  await reached;
  await pretendPaused(backup);
  await storage.backup(backup);
  open();
  await running;
});
