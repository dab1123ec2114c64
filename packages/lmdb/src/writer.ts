import type { Database } from './database.js';
import { codeOf, commitFailure, readOnly, reason } from './failures.js';

interface Step {
  /** Runs in a transaction, and keeps the result. */
  run(): void;
  /** Resolves to the result. */
  resolve(): void;
  reject(error: Error): void;
}

const ANY_KEY = Buffer.from([0]);

/**
 * The largest number of steps in one transaction. LMDB keeps the pages that a transaction changes in
 * memory, up to 131,071, and ends the process when there are more. More steps than this gain nothing
 * from sharing a sync.
 */
const MOST_STEPS = 1000;

/**
 * Runs steps in write transactions, one transaction at a time. Steps that wait share the next one,
 * and with it a sync, and fail together. After a failure that LMDB may not have got over there is no
 * next one: a transaction that is begun in an environment in panic blocks its thread for ever, so
 * lmdb-js must never have a second one under way when the first fails.
 */
export class Writer {
  readonly #database: Database;
  readonly #directory: string;
  readonly #onStop: (failure: Error) => void;
  readonly #waiting: Step[] = [];
  #working: Promise<void> | undefined;
  #failure: Error | undefined;

  /** `onStop` is called once, with the error of all later calls, when writing has become impossible. */
  constructor(database: Database, directory: string, onStop: (failure: Error) => void) {
    this.#database = database;
    this.#directory = directory;
    this.#onStop = onStop;
  }

  /** Resolves to the step's result when it is durable. */
  run<T>(step: (database: Database) => T): Promise<T> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      let result: T;
      const run = (): void => {
        result = step(this.#database);
      };
      this.#waiting.push({ run, resolve: () => resolve(result), reject });
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) await this.#transact();
    this.#working = undefined;
  }

  async #transact(): Promise<void> {
    const steps: Step[] = [];
    const take = (): void => {
      for (const step of this.#waiting.splice(0, MOST_STEPS - steps.length)) steps.push(step);
    };
    try {
      requireHealth(this.#database);
      take();
      // A child transaction, because lmdb-js would commit what a step that throws had written.
      await this.#database.childTransaction(() => {
        take();
        for (const step of steps) step.run();
      });
      for (const step of steps) step.resolve();
    } catch (error) {
      const failure = this.#failureOf(await reason(error));
      for (const step of steps) step.reject(failure);
    }
  }

  /** A full disk leaves the last commit as it was, unless it was met while the root was written. */
  #failureOf(cause: unknown): Error {
    const code = codeOf(cause, this.#directory);
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    if (!this.#failure && !(isFull && isHealthy(this.#database))) this.#stop(cause);
    return commitFailure(cause, code);
  }

  #stop(cause: unknown): void {
    this.#failure = readOnly(cause);
    for (const step of this.#waiting.splice(0)) step.reject(this.#failure);
    this.#onStop(this.#failure);
  }
}

/** Throws when LMDB is in panic: then it begins no transaction, and none for reading either. */
export function requireHealth(database: Database): void {
  database.resetReadTxn();
  database.getBinaryFast(ANY_KEY);
}

function isHealthy(database: Database): boolean {
  try {
    requireHealth(database);
    return true;
  } catch {
    return false;
  }
}
