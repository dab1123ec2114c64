import { writeSync } from 'node:fs';
import { getLastVersion } from 'lmdb';
import type { Database } from './database.js';

/** A change of records, all or nothing. */
export interface Step {
  readonly expect: readonly Condition[];
  readonly delete: readonly Buffer[];
  readonly put: readonly { readonly key: Buffer; readonly value: Buffer }[];
  /** The version that the records in `put` get. */
  readonly version: number;
}

export interface Condition {
  readonly key: Buffer;
  /** The version that the record must have; `undefined` if the key must have no record. */
  readonly version: number | undefined;
}

/**
 * More conditions than this are checked in a callback, because each takes a call that is nested in
 * the one before.
 */
const MOST_NESTED = 100;

export const isLong = ({ expect }: Step): boolean => expect.length > MOST_NESTED;

/** The version of a key's record, without the copy of its value that `getEntry` would make. */
export const versionOf = (database: Database, key: Buffer): number | undefined =>
  database.getBinaryFast(key) && getLastVersion();

/**
 * Writes steps in one transaction, and resolves to whether each of them took effect. The thread of
 * lmdb-js compares the versions and changes the records. With a callback, this thread would do
 * both, and each transaction would switch between the threads twice more: with full durability and
 * 32 connections, that lost a quarter of the PUT requests per second.
 */
export async function writeSteps(database: Database, steps: readonly Step[]): Promise<boolean[]> {
  const results: Promise<boolean>[] = [];
  const [, ...done] = await Promise.all([inBatch(database, steps, results), ...results]);
  return done;
}

/**
 * Queues the changes of a transaction, and ends the process if that fails. lmdb-js would commit
 * whatever was queued before the failure. Only a lack of memory can cause one, because keys and
 * values were checked before. A process that ends commits nothing.
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
      // The app cannot catch this signal, and a full pipe cannot prevent it.
      process.kill(process.pid, 'SIGKILL');
    }
    throw error;
  }
}

/**
 * Each condition is a block within the one before, and the changes are within the last. lmdb-js may
 * report that a condition holds in a block that it skipped, so all of them must hold.
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

/** Like {@link writeSteps}, for a step with many conditions. */
export const writeLongStep = (database: Database, step: Step): Promise<boolean> =>
  // This is a child transaction, because lmdb-js would commit whatever a callback had written
  // before it threw.
  database.childTransaction(() => {
    const holds = step.expect.every(({ key, version }) => versionOf(database, key) === version);
    if (holds) change(database, step);
    return holds;
  });

function change(database: Database, { delete: removed, put, version }: Step): void {
  for (const key of removed) database.remove(key);
  for (const { key, value } of put) database.put(key, value, version);
}
