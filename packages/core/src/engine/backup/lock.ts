import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../store.js';
import { readIfThere, statIfThere, unlessAbsent } from './files.js';
import { type Holder, hasEnded, isThisThread, self } from './holder.js';

const RENEW_EVERY = 10_000;
const FRESH_FOR = 60_000;

/** The ids of the locks that this thread holds. */
const ours = new Set<string>();

/** The content of a lock. */
interface Owner extends Holder {
  readonly id: string;
}

/**
 * Locks the directory of a backup for one call, across processes. If the owner was a process on
 * this machine that has ended, the lock is taken over at once; any other lock after a minute
 * without renewal. So a call that was paused may find that it has lost its lock.
 */
export class DirectoryLock {
  /** Differs for each call. */
  readonly id: string;
  readonly #directory: string;
  readonly #path: string;
  readonly #text: string;
  readonly #lost = new AbortController();
  readonly #renewing: NodeJS.Timeout;

  static async take(directory: string): Promise<DirectoryLock> {
    const path = join(directory, 'lock');
    const owner: Owner = { ...(await self()), id: newId() };
    const text = JSON.stringify(owner);
    ours.add(owner.id);
    try {
      if (!(await create(path, text))) {
        await removeOld(directory, path);
        if (!(await create(path, text))) throw inUse(directory);
      }
    } catch (error) {
      ours.delete(owner.id);
      throw error;
    }
    return new DirectoryLock(directory, owner.id, text);
  }

  /**
   * For a call that cannot create a lock. Rejects if another call appears to hold it. Without a
   * file of its own, this one can compare the lock only with its own clock.
   */
  static async requireFree(directory: string): Promise<void> {
    const path = join(directory, 'lock');
    const text = await readIfThere(path).catch(() => ''); // Its owner may be another user.
    const lock = await statIfThere(path);
    if (text === undefined || lock === undefined || (await isAbandoned(text.trim()))) return;
    if (Math.abs(Date.now() - lock.mtimeMs) < FRESH_FOR) throw inUse(directory);
  }

  private constructor(directory: string, id: string, text: string) {
    this.id = id;
    this.#directory = directory;
    this.#path = join(directory, 'lock');
    this.#text = text;
    this.#renewing = setInterval(() => void this.#renew().catch(() => {}), RENEW_EVERY).unref();
  }

  /** Aborts once this call knows that another one has taken over its lock. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Rejects if another call has taken over the lock. A lock that cannot be read says nothing.
   */
  async check(): Promise<void> {
    const text = await readIfThere(this.#path).catch(() => this.#text);
    if (text?.trim() !== this.#text) this.#lost.abort(takenOver(this.#directory));
    this.lost.throwIfAborted();
  }

  async release(): Promise<void> {
    clearInterval(this.#renewing);
    ours.delete(this.id);
    const isHeld = (await readIfThere(this.#path))?.trim() === this.#text;
    if (isHeld) await rm(this.#path, { force: true });
  }

  /** Adds a space, which sets the modification time of the file by the clock of the file system. */
  async #renew(): Promise<void> {
    await this.check();
    const file = await open(this.#path, constants.O_WRONLY | constants.O_APPEND);
    try {
      await file.write(' ');
    } finally {
      await file.close();
    }
  }
}

const inUse = (directory: string): Error =>
  new Error(
    `Another call is using the backup in ${directory}, or was interrupted a moment ago. ` +
      'Try again when it has finished, or in a minute.',
  );

const takenOver = (directory: string): Error =>
  new Error(
    `Another call has taken over the backup in ${directory}, because this one was paused for ` +
      'more than a minute. Try again when the other has finished.',
  );

/** Resolves to false if there is a lock. A full disk leaves no empty one, which nobody would own. */
async function create(path: string, text: string): Promise<boolean> {
  const file = await open(path, 'wx', 0o600).catch(unlessPresent);
  if (file === undefined) return false;
  try {
    await file.writeFile(text).finally(() => file.close());
    return true;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

function unlessPresent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error;
}

/** If several calls find the same old lock, one succeeds, and none removes the lock of another. */
async function removeOld(directory: string, path: string): Promise<void> {
  if ((await lstat(path).catch(unlessAbsent))?.isFile() === false) {
    throw new Error(`${path} is not a file, so it is not the lock of a backup. Remove it.`);
  }
  const text = (await readIfThere(path))?.trim();
  if (text === undefined) return;
  if (!(await isAbandoned(text)) && (await isFresh(directory, path))) throw inUse(directory);
  const aside = join(directory, `lock-${randomUUID()}`);
  await rename(path, aside).catch(unlessAbsent);
  const removed = (await readIfThere(aside))?.trim();
  if (removed !== undefined && removed !== text) await link(aside, path);
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

async function isAbandoned(text: string): Promise<boolean> {
  const owner = parse(text);
  if (owner === undefined) return false; // Its owner is still writing it, or failed to.
  return isThisThread(owner) ? !ours.has(owner.id) : hasEnded(owner);
}

/** Whether a file has the content of a lock. It is empty if its owner stopped before writing it. */
export const isLockText = (text: string): boolean => text === '' || parse(text) !== undefined;

function parse(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Partial<Owner> | null;
    const isOurs = typeof owner?.pid === 'number' && typeof owner.id === 'string';
    return isOurs && typeof owner.host === 'string' ? (owner as Owner) : undefined;
  } catch {
    return undefined;
  }
}
