import { writeSync } from 'node:fs';
import { getLastVersion } from 'lmdb';
import type { Database } from './database.js';

/** A change of records, all or nothing. */
export interface Step {
  readonly expect: readonly Condition[];
  readonly delete: readonly Buffer[];
  readonly put: readonly { readonly key: Buffer; readonly value: Buffer }[];
  /** The version that the records of `put` get. */
  readonly version: number;
}

export interface Condition {
  readonly key: Buffer;
  /** Undefined: the key must have no record. */
  readonly version: number | undefined;
}

/** More conditions than this are checked in a callback: each takes a call within the one before. */
const MOST_NESTED = 100;

export const isLong = ({ expect }: Step): boolean => expect.length > MOST_NESTED;

/** The version of a key's record, without the copy of its value that `getEntry` would make. */
export const versionOf = (database: Database, key: Buffer): number | undefined =>
  database.getBinaryFast(key) && getLastVersion();

/**
 * Writes steps in one transaction, and resolves to whether each of them was done. The thread of
 * lmdb-js compares the versions and changes the records. In a callback both would be done here,
 * and each transaction would switch between the threads twice more: with full durability and 32
 * connections that took a quarter of the PUT requests.
 */
export async function writeSteps(database: Database, steps: readonly Step[]): Promise<boolean[]> {
  const results: Promise<boolean>[] = [];
  const [, ...done] = await Promise.all([inBatch(database, steps, results), ...results]);
  return done;
}

/**
 * lmdb-js would commit what it was given before a failure, which only a lack of memory can cause:
 * keys and values are checked before. A process that ends commits nothing.
 */
function inBatch(
  database: Database,
  steps: readonly Step[],
  results: Promise<boolean>[],
): Promise<boolean> {
  try {
    return database.batch(() => {
      for (const step of steps) results.push(writeStep(database, step));
    });
  } catch (error) {
    try {
      writeSync(2, `No memory is left to commit records, so this process ends. ${error}\n`);
    } finally {
      // No listener of the host may catch this signal, and no full pipe may prevent it.
      process.kill(process.pid, 'SIGKILL');
    }
    throw error;
  }
}

/**
 * Each condition is a block within the one before, and the changes are within the last. lmdb-js may
 * say that a condition holds in a block that it passed over, so all of them have to hold.
 */
function writeStep(database: Database, step: Step): Promise<boolean> {
  const conditions: Promise<boolean>[] = [];
  const within = (index: number): void => {
    const condition = step.expect[index];
    if (condition === undefined) {
      change(database, step);
      return;
    }
    const { key, version } = condition;
    const rest = (): void => within(index + 1);
    conditions.push(
      version === undefined
        ? database.ifNoExists(key, rest)
        : database.ifVersion(key, version, rest),
    );
  };
  within(0);
  return Promise.all(conditions).then((held) => held.every((holds) => holds));
}

/** As {@link writeSteps} does, for a step with many conditions. */
export const writeLongStep = (database: Database, step: Step): Promise<boolean> =>
  // A child transaction, because lmdb-js would commit what a callback that throws had written.
  database.childTransaction(() => {
    const holds = step.expect.every(({ key, version }) => versionOf(database, key) === version);
    if (holds) change(database, step);
    return holds;
  });

function change(database: Database, { delete: removed, put, version }: Step): void {
  for (const key of removed) database.remove(key);
  for (const { key, value } of put) database.put(key, value, version);
}
