import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { PLACE_LOST, type Place } from '@bucketware/core/contracts';
import { type Database, FILE } from './database.js';
import { codeBefore, codeOf, commitFailure, readOnly, reason } from './failures.js';
import type { Gate } from './gate.js';
import { Room } from './room.js';
import { isLong, type Step, versionOf, writeLongStep, writeSteps } from './step.js';

interface Waiting {
  readonly step: Step;
  resolve(isDone: boolean): void;
  reject(error: Error): void;
}

const ANY_KEY = Buffer.from([0]);

/**
 * The maximum number of steps in one transaction. LMDB keeps the pages that a transaction changes
 * in memory, up to 131,071, and ends the process if there are more. Beyond this number, sharing a
 * sync gains nothing.
 */
const MOST_STEPS = 1000;

/**
 * Writes steps in transactions, one transaction at a time. Steps that wait share the next
 * transaction, and with it a sync, and fail together. After a failure from which LMDB may not have
 * recovered, there are no more transactions: one that is begun in an environment in panic blocks
 * its thread forever, so lmdb-js must never have a second one under way when the first fails.
 */
export class Writer {
  readonly #database: Database;
  readonly #gate: Gate;
  readonly #directory: string;
  readonly #place: Place;
  readonly #room: Room;
  readonly #onStop: (failure: Error) => void;
  readonly #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;
  /** How many steps are written one by one, because the disk is full. */
  #alone = 0;
  #failure: Error | undefined;

  /** `onStop` is called once, with the error of all later calls, when writing has become impossible. */
  constructor(
    database: Database,
    gate: Gate,
    directory: string,
    place: Place,
    onStop: (failure: Error) => void,
  ) {
    this.#database = database;
    this.#gate = gate;
    this.#directory = directory;
    this.#place = place;
    this.#room = new Room(join(directory, FILE), database);
    this.#onStop = onStop;
  }

  /**
   * Resolves to true when the step is durable, and to false when a version was not the expected
   * one.
   */
  write(step: Step): Promise<boolean> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ step, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  /** The current version of a key's record. */
  versionOf(key: Buffer): number | undefined {
    if (this.#failure) throw this.#failure;
    try {
      requireHealth(this.#database);
      return versionOf(this.#database, key);
    } catch (error) {
      this.#stop(error);
      throw this.#failure;
    }
  }

  async #work(): Promise<void> {
    // Requests that arrive together commit together.
    await setImmediate();
    while (this.#waiting.length > 0) await this.#transact();
    this.#working = undefined;
  }

  async #transact(): Promise<void> {
    const waiting = this.#take();
    const steps = waiting.map(({ step }) => step);
    try {
      requireHealth(this.#database);
      if (!(await this.#isReady(waiting, steps))) return;
      const done = await this.#write(steps).finally(() => this.#gate.leave());
      for (const [index, { resolve }] of waiting.entries()) resolve(done[index] as boolean);
    } catch (error) {
      const failure = this.#failureOf(await reason(error));
      for (const { reject } of waiting) reject(failure);
    }
  }

  /**
   * Whether the database is in its place and has space. Otherwise nothing is written, so the
   * database is as it was. Without space, steps are tried one by one, and small ones may fit.
   */
  async #isReady(waiting: readonly Waiting[], steps: readonly Step[]): Promise<boolean> {
    try {
      this.#place.require();
      await this.#room.require(steps);
      await this.#gate.enter();
      return true;
    } catch (cause) {
      const code = codeBefore(cause);
      if (code === 'ENOSPC' && waiting.length > 1) {
        this.#waiting.unshift(...waiting);
        this.#alone = waiting.length;
        return false;
      }
      const failure = commitFailure(cause, code);
      for (const { reject } of waiting) reject(failure);
      if (code === PLACE_LOST) this.#stop(cause);
      return false;
    }
  }

  /** Call it when no step is being written. */
  close(): void {
    this.#room.close();
  }

  /** The next step alone if it is long; otherwise the steps before the next long one. */
  #take(): Waiting[] {
    if (this.#alone > 0) {
      this.#alone--;
      return this.#waiting.splice(0, 1);
    }
    const long = this.#waiting.findIndex(({ step }) => isLong(step));
    const most = long === -1 ? MOST_STEPS : Math.min(Math.max(long, 1), MOST_STEPS);
    return this.#waiting.splice(0, most);
  }

  async #write(steps: readonly Step[]): Promise<boolean[]> {
    const [first] = steps;
    if (first === undefined || !isLong(first)) return writeSteps(this.#database, steps);
    return [await writeLongStep(this.#database, first)];
  }

  /**
   * The error of a failed transaction. A full disk leaves the last commit intact, unless the root
   * was being written.
   */
  #failureOf(cause: unknown): Error {
    const code = codeOf(cause, this.#directory);
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    if (!this.#failure && !(isFull && isHealthy(this.#database))) this.#stop(cause);
    return commitFailure(cause, code);
  }

  #stop(cause: unknown): void {
    this.#failure = readOnly(cause);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
    this.#onStop(this.#failure);
  }
}

/** Throws when LMDB has panicked: it then begins no transactions, not even for reading. */
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
