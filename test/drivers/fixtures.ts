import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';

/** For data that need not survive a power cut: a file system in memory, if the machine has one. */
export const QUICK_PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Creates a directory, and a function that removes it. */
export async function temporaryDirectory(
  place = tmpdir(),
): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(place, 'bucketware-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Creates a directory that is removed at the end of the test. */
export async function directoryOf(t: ExecutionContext): Promise<string> {
  const { path, remove } = await temporaryDirectory();
  t.teardown(remove);
  return path;
}

/** Waits until a condition holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('What was waited for did not happen.');
    await sleep(5);
  }
}

/** Retries until the work succeeds, because a starting server rejects requests at first. */
export async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 100) throw error;
      await sleep(50);
    }
  }
}

/** How many turns the event loop had while `work` ran. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let running = true;
  const count = (): void => {
    turns++;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  await work();
  running = false;
  return turns;
}
