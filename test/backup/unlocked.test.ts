import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { memoryBlobs, memoryMetadata } from '@bucketware/core/memory';
import { restoreStorage } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { fill, gated, opened, restored } from './fixtures.js';

const run = promisify(execFile);

/** False, with a printed reason, where disks cannot be mounted. */
async function mounted(t: ExecutionContext, path: string, ...given: string[]): Promise<boolean> {
  try {
    await run('mount', [...given, path]);
  } catch (error) {
    t.log(`SKIPPED: nothing can be mounted here: ${(error as Error).message.trim()}`);
    return false;
  }
  t.teardown(async () => void (await run('umount', ['-l', path])));
  return true;
}

/** A storage, and a backup of it that can also be read through a read-only path. */
async function readOnly(t: ExecutionContext) {
  const directory = await directoryOf(t);
  const storage = await opened(t, { directory: join(directory, 'data') });
  await fill(storage);
  const [backup, path] = [join(directory, 'backup'), join(directory, 'read-only')];
  await storage.backup(backup);
  await mkdir(path);
  if (!(await mounted(t, path, '--bind', backup))) return undefined;
  await run('mount', ['-o', 'remount,bind,ro', path]);
  return { storage, backup, path };
}

test('a restoration from a read-only disk fails if a backup removes blobs meanwhile', async (t) => {
  const place = await readOnly(t);
  if (place === undefined) return t.pass();
  const { slow, reached, open } = gated(memoryBlobs(), 'write');
  const to = { metadata: memoryMetadata(), blobs: slow };
  const running = t.throwsAsync(restoreStorage({ from: place.path, to }), {
    message: /A newer backup was made .* Repeat the restoration/,
  });
  await reached;
  await place.storage.deleteObject({ bucket: 'notes', key: 'large' });
  await place.storage.backup(place.backup);
  open();
  await running;
  await restored(t, place.path);
});

test('a restoration from a read-only disk does not start during a backup', async (t) => {
  const place = await readOnly(t);
  if (place === undefined) return t.pass();
  const lock = join(place.backup, 'lock');
  await writeFile(lock, JSON.stringify({ host: 'elsewhere', pid: 1, id: 'x' }));
  const to = { metadata: memoryMetadata(), blobs: memoryBlobs() };
  await t.throwsAsync(restoreStorage({ from: place.path, to }), { message: /^Another call is/ });
  await utimes(lock, 0, 0); // It was interrupted long ago.
  await restored(t, place.path);
});

test('a backup on a full disk can be restored', async (t) => {
  const storage = await opened(t, { directory: await directoryOf(t) });
  await fill(storage);
  const disk = await directoryOf(t);
  if (!(await mounted(t, disk, '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs'))) return t.pass();
  await storage.backup(disk);
  const filler = join(disk, 'lost+found');
  await t.throwsAsync(writeFile(filler, randomBytes(5_000_000)), { code: 'ENOSPC' });
  await restored(t, disk);
  await t.throwsAsync(storage.backup(disk), { code: 'ENOSPC' });
  t.false((await readdir(disk)).includes('lock'));
  await rm(filler);
  await storage.backup(disk);
});
