import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readIfThere, statIfThere, unlessAbsent } from './files.js';

const RENEW_EVERY = 10_000;
const FRESH_FOR = 60_000;

/** The locks that this process holds. */
const ours = new Set<string>();

/**
 * Locks the directory of a backup for one call, across processes. If the owner was a process on
 * this machine that has ended, the lock is taken over at once; any other lock after a minute
 * without renewal. Resolves to a function that releases the lock.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, 'lock');
  const own = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() });
  ours.add(own);
  try {
    if (!(await create(path, own))) {
      await removeOld(directory, path);
      if (!(await create(path, own))) throw inUse(directory);
    }
  } catch (error) {
    ours.delete(own);
    throw error;
  }
  const renewing = setInterval(() => void renew(path).catch(() => {}), RENEW_EVERY).unref();
  return async () => {
    clearInterval(renewing);
    ours.delete(own);
    if ((await readIfThere(path))?.trim() === own) await rm(path, { force: true });
  };
}

const inUse = (directory: string): Error =>
  new Error(
    `Another call is using the backup in ${directory}, or was interrupted a moment ago. ` +
      'Try again when it has finished, or in a minute.',
  );

const create = (path: string, text: string): Promise<boolean> =>
  writeFile(path, text, { flag: 'wx', mode: 0o600 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );

/** Adds a space, which sets the modification time of the file by the clock of the file system. */
async function renew(path: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    await file.write(' ');
  } finally {
    await file.close();
  }
}

/** If several calls find the same old lock, one succeeds, and none removes the lock of another. */
async function removeOld(directory: string, path: string): Promise<void> {
  const owner = (await readIfThere(path))?.trim();
  if (owner === undefined) return;
  if (!hasEnded(owner) && (await isFresh(directory, path))) throw inUse(directory);
  const aside = join(directory, `lock-${randomUUID()}`);
  await rename(path, aside).catch(unlessAbsent);
  const removed = (await readIfThere(aside))?.trim();
  if (removed !== undefined && removed !== owner) await link(aside, path);
  await rm(aside, { force: true });
}

async function isFresh(directory: string, path: string): Promise<boolean> {
  const lock = await statIfThere(path);
  if (lock === undefined) return false;
  const probe = join(directory, `lock-${randomUUID()}`);
  await writeFile(probe, '');
  const now = (await statIfThere(probe))?.mtimeMs ?? 0;
  await rm(probe, { force: true });
  return now - lock.mtimeMs < FRESH_FOR;
}

function hasEnded(owner: string): boolean {
  let host: unknown;
  let pid: unknown;
  try {
    ({ host, pid } = JSON.parse(owner));
  } catch {
    return false; // Its owner is still writing it, or failed to.
  }
  if (host !== hostname() || typeof pid !== 'number') return false;
  // In a container, an earlier process may have had the same process id.
  if (pid === process.pid) return !ours.has(owner);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
