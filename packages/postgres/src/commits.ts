import { OutcomeUnknownError, UnreachableError } from '@bucketware/core/contracts';
import type { Request, Step } from './changes.js';
import type { Database } from './database.js';
import { RefusedError } from './failures.js';
import { Held } from './held.js';
import { functionName, MAX_CHANGES } from './schema.js';

interface Waiting {
  readonly request: Request;
  resolve(version: string | undefined): void;
  reject(error: unknown): void;
}

/** The maximum number of concurrent calls: the next is processed while one waits for its flush. */
const MAX_CALLS = 2;

/** The maximum size of one call, in bytes, unless a single change is larger. */
const MAX_BYTES = 4 * 1024 * 1024;

/** How many times a change is tried when it conflicts with those of other processes. */
const MAX_TRIES = 20;

/**
 * Sends waiting commits in one call, so that they share a round trip and a flush. Each succeeds or
 * fails independently. Commits that could conflict never run at the same time, and keep their
 * order.
 */
export class Commits {
  readonly #database: Database;
  readonly #durable: boolean;
  #waiting: Waiting[] = [];
  readonly #held = new Held();
  #calls = 0;
  #starting = false;

  constructor(database: Database, durable: boolean) {
    this.#database = database;
    this.#durable = durable;
  }

  /**
   * Resolves to the version when the change is committed, or to `undefined` if an expectation does
   * not hold.
   */
  run(request: Request): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#start();
    });
  }

  /** Ends a wait that took too long. A change that has not been sent is not made any more. */
  giveUp(request: Request): Error {
    const at = this.#waiting.findIndex((one) => one.request === request);
    if (at < 0) return new OutcomeUnknownError('PostgreSQL did not confirm a change in time.');
    const error = new UnreachableError('A change waited too long for PostgreSQL.');
    for (const { reject } of this.#waiting.splice(at, 1)) reject(error);
    return error;
  }

  /** Starts a little later, so that concurrent commits share the call. */
  #start(): void {
    if (this.#starting || this.#calls >= MAX_CALLS || this.#waiting.length === 0) return;
    this.#starting = true;
    setImmediate(() => {
      this.#starting = false;
      const batch = this.#take();
      if (batch.length === 0) return;
      this.#calls += 1;
      this.#start();
      void this.#settle(batch).finally(() => {
        for (const { request } of batch) this.#held.release(request.steps);
        this.#calls -= 1;
        this.#start();
      });
    });
  }

  /**
   * Takes the commits that may run now. If a commit must wait, later ones with the same keys must
   * wait, too.
   */
  #take(): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const queued = new Held();
    let bytes = 0;
    for (const one of this.#waiting) {
      const { steps, bytes: more } = one.request;
      const hasRoom =
        batch.length === 0 || (batch.length < MAX_CHANGES && bytes + more <= MAX_BYTES);
      if (hasRoom && this.#held.allows(steps) && queued.allows(steps)) {
        this.#held.hold(steps);
        batch.push(one);
        bytes += more;
      } else {
        queued.hold(steps);
        left.push(one);
      }
    }
    this.#waiting = left;
    return batch;
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const { given, failed } = await this.#call(batch.map(({ request }) => request));
      const without = new Set(failed);
      for (const [index, { resolve }] of batch.entries()) {
        resolve(without.has(index) ? undefined : String(BigInt(given) + BigInt(index)));
      }
    } catch (error) {
      // One of them may have caused the failure. The others must not fail because of it.
      if (error instanceof RefusedError && batch.length > 1) {
        for (const one of batch) await this.#settle([one]);
        return;
      }
      for (const { reject } of batch) reject(error);
    }
  }

  async #call(requests: readonly Request[]): Promise<Answer> {
    const values = [this.#durable, ...parameters(requests), this.#database.oid];
    const places = values.map((_, index) => `$${index + 1}`);
    const sql = `SELECT given, failed FROM ${functionName(this.#database.table)}(${places})`;
    for (let tries = 1; ; tries += 1) {
      try {
        const [answer] = await this.#database.commit<Answer>(sql, values);
        return answer as Answer;
      } catch (error) {
        const isConflict = error instanceof RefusedError && error.isConflict;
        if (!isConflict || tries === MAX_TRIES) throw error;
        await pause(Math.random() * tries * 10);
      }
    }
  }
}

interface Answer {
  /** The version of the first change. Each later change has the next one. */
  readonly given: string;
  /** The indexes of the changes whose expectations did not hold. */
  readonly failed: number[];
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const NO_VALUE = { delete: -1, keep: -2 };
const sizeOf = ({ action, value }: Step): number =>
  action === 'put' ? value.length : NO_VALUE[action];

/**
 * The arguments of the commit function. Bytes are sent as one buffer with offsets, because `pg`
 * would send an array of buffers as hexadecimal text.
 */
function parameters(requests: readonly Request[]): unknown[] {
  const changes: number[] = [];
  const steps: Step[] = [];
  for (const [index, request] of requests.entries()) {
    for (const step of request.steps) {
      changes.push(index);
      steps.push(step);
    }
  }
  const keys = steps.map(({ key }) => key);
  const values = steps.map(({ value }) => value);
  return [
    changes,
    ...[Buffer.concat(keys), startsOf(keys), keys.map(({ length }) => length)],
    steps.map(({ expected }) => expected),
    ...[Buffer.concat(values), startsOf(values), steps.map(sizeOf)],
  ];
}

/** Where each piece begins in their concatenation. Positions in SQL begin at 1. */
export function startsOf(pieces: readonly Buffer[]): number[] {
  let next = 1;
  return pieces.map(({ length }) => {
    const start = next;
    next += length;
    return start;
  });
}
