import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { open, type RootDatabase, type Transaction } from 'lmdb';

/** The directory of the gate, in that of the database. */
export const GATE = 'gate';
/** The two lists of processes: each is an LMDB environment in the directory of the gate. */
export const LISTS = ['committing', 'opening'] as const;

/** Commits and openings take milliseconds, unless a disk hangs or a process is stopped. */
const PATIENCE_MS = 60_000;

/**
 * Keeps processes from opening a database while another one commits to it. When lmdb-js 3 opens a
 * database, it sets the number of the last transaction, which all processes share, to the one that
 * it read from the file a moment before. If another process has committed in between, the next
 * transaction overwrites that commit.
 *
 * A process that wants to open the database announces this, and waits until the commits under way
 * have ended. Other commits begin when it is done.
 */
export class Gate {
  readonly #committing: ProcessList;
  readonly #opening: ProcessList;

  constructor(directory: string) {
    const [committing, opening] = LISTS;
    this.#committing = new ProcessList(join(directory, GATE, committing));
    this.#opening = new ProcessList(join(directory, GATE, opening));
  }

  /** Resolves when a commit may begin. Call `leave` when it has ended. */
  async enter(): Promise<void> {
    for (const requireTime = patience('opening'); ; requireTime()) {
      // Entered first, then looked: of two processes, at least one sees the other.
      this.#committing.enter();
      if (this.#opening.isEmpty()) return;
      this.#committing.leave();
      await sleep(1);
    }
  }

  leave(): void {
    this.#committing.leave();
  }

  /** Calls `open` when no process commits. */
  async pass<T>(open: () => T): Promise<T> {
    const requireTime = patience('committing to');
    this.#opening.enter();
    try {
      for (; !this.#committing.isEmpty(); requireTime()) await sleep(1);
      return open();
    } finally {
      this.#opening.leave();
    }
  }

  async close(): Promise<void> {
    await this.#committing.close();
    await this.#opening.close();
  }
}

/** Returns a function that throws when another process has taken too long. */
function patience(doing: string): () => void {
  const end = performance.now() + PATIENCE_MS;
  return () => {
    if (performance.now() < end) return;
    throw new Error(
      `Another process has been ${doing} the database for a minute. Wait until it has finished, or end it.`,
    );
  };
}

const FENCE = new Int32Array(new SharedArrayBuffer(4));

/**
 * A list of processes, which forgets those that have ended. It is an empty LMDB environment, and
 * those with a read transaction are in the list. Nothing is ever written to it, so it can be opened
 * at any time.
 */
class ProcessList {
  readonly #environment: RootDatabase;
  #entry: Transaction | undefined;

  constructor(path: string) {
    this.#environment = openList(path);
  }

  enter(): void {
    this.#entry = this.#environment.useReadTransaction();
    // The processor must not read the other list before the rest of the machine sees this entry.
    Atomics.add(FENCE, 0, 1);
  }

  leave(): void {
    this.#entry?.done();
    this.#entry = undefined;
    // Otherwise it may only end in the next turn of the event loop.
    this.#environment.resetReadTxn();
  }

  isEmpty(): boolean {
    if (this.#isEmptyNow()) return true;
    // LMDB lists processes that were killed until it is asked to check.
    this.#environment.readerCheck();
    return this.#isEmptyNow();
  }

  close(): Promise<void> {
    return this.#environment.close();
  }

  /** The lines of the list end with the number of the snapshot, or with `-` if there is none. */
  #isEmptyNow(): boolean {
    const [, ...readers] = this.#environment.readerList().trimEnd().split('\n');
    return readers.every((reader) => reader.endsWith('-'));
  }
}

/** Opens the environment of a list. */
export const openList = (path: string): RootDatabase =>
  open({ path, noSubdir: false, maxDbs: 1, mapSize: 1024 ** 2, ...{ permissionsMode: 0o600 } });
