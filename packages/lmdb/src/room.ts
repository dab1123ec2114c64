import fs from 'node:fs';
import { promisify } from 'node:util';
import { bytesDone } from '@bucketware/core/contracts';
import type { Database } from './database.js';
import type { Step } from './step.js';

const fstat = promisify(fs.fstat);

const MIB = 1024 * 1024;

/** How much space is allocated beyond what the next transaction needs. */
const SLACK_BYTES = MIB;

/** How much space is allocated at a time. */
const EXTENSION_BYTES = MIB;
const ZEROS = Buffer.alloc(MIB / 4);

/** After so many transactions, the space is measured again: other processes use it as well. */
const MOST_UNMEASURED = 32;

/** What other changes leave for those that delete records and write none larger than this. */
const RESERVED_BYTES = MIB / 2;
const SMALL_BYTES = 1024;

/** The pages for which a transaction itself has use: the list of free pages, and its root. */
const PAGES_OF_TRANSACTION = 48;

/**
 * Space in the file of a database, allocated before a transaction needs it. When a write of LMDB
 * itself fails, lmdb-js writes its error message beyond the end of a buffer, and the process aborts.
 * So a full disk must be noticed before: zeros are appended to the file, and LMDB writes over them.
 *
 * Appending is safe while another process writes to the database: the system chooses the position.
 * File systems that copy on write, such as btrfs, allocate new space for each write all the same.
 */
export class Room {
  readonly #file: number;
  readonly #database: Database;
  #left = 0;
  #unmeasured = MOST_UNMEASURED;
  #geometry: Geometry = { pageSize: 4096, depth: 0, branches: 0 };

  constructor(path: string, database: Database) {
    // Opened once: later, there may be no descriptor left.
    this.#file = fs.openSync(path, 'a');
    this.#database = database;
  }

  /**
   * Rejects with ENOSPC or another code of the system if the steps may not fit. Nothing has changed
   * then.
   */
  async require(steps: readonly Step[]): Promise<void> {
    if (process.platform === 'win32') {
      // Its writes fail without harm.
      if (++this.#unmeasured >= MOST_UNMEASURED) this.#freePages();
      return;
    }
    let wanted = this.#wantedBy(steps);
    if (++this.#unmeasured >= MOST_UNMEASURED || this.#left < wanted + SLACK_BYTES) {
      await this.#measure();
      wanted = this.#wantedBy(steps);
      if (this.#left < wanted + SLACK_BYTES) await this.#extend(wanted + reserveFor(steps));
    }
    this.#left -= wanted;
  }

  close(): void {
    fs.closeSync(this.#file);
  }

  /**
   * A process that was killed while it read stays in the list of readers. LMDB would reuse no page
   * that it could still read, so that the file would grow with each change.
   */
  #freePages(): void {
    this.#database.readerCheck();
    this.#unmeasured = 0;
  }

  async #measure(): Promise<void> {
    this.#freePages();
    const { pageSize, treeDepth, treeBranchPageCount, lastPageNumber } =
      this.#database.getStats() as Stats;
    const { size } = await fstat(this.#file);
    this.#geometry = { pageSize, depth: treeDepth, branches: treeBranchPageCount };
    this.#left = size - (lastPageNumber + 1) * pageSize;
  }

  async #extend(needed: number): Promise<void> {
    const goal = needed + SLACK_BYTES + EXTENSION_BYTES;
    try {
      while (this.#left < goal) {
        const written = await bytesDone((done) => fs.write(this.#file, ZEROS, done));
        this.#left += written; // After the wait: `+=` with an await would use the value before it.
      }
    } catch (error) {
      if (this.#left < needed) throw error;
    }
  }

  /** The most bytes by which the steps can lengthen the database. */
  #wantedBy(steps: readonly Step[]): number {
    const { pageSize, depth, branches } = this.#geometry;
    let leaves = 0;
    let overflow = 0;
    for (const { put, delete: removed } of steps) {
      // Each record may be in another leaf, which may have to be split.
      leaves += 2 * put.length + removed.length;
      for (const { value } of put) overflow += Math.ceil(value.length / pageSize);
    }
    const above = Math.min(leaves * (depth + 1), branches + leaves / 8 + depth + 1);
    return Math.ceil(1.1 * (leaves + overflow + above) + PAGES_OF_TRANSACTION) * pageSize;
  }
}

interface Geometry {
  readonly pageSize: number;
  /** The levels of the tree, and the number of pages above its leaves. */
  readonly depth: number;
  readonly branches: number;
}

interface Stats {
  readonly pageSize: number;
  readonly treeDepth: number;
  readonly treeBranchPageCount: number;
  readonly lastPageNumber: number;
}

const reserveFor = (steps: readonly Step[]): number =>
  steps.every(makesSpace) ? 0 : RESERVED_BYTES;

/**
 * Whether the step deletes records, or only replaces one, as a job does that is about to delete
 * some.
 */
const makesSpace = ({ put, delete: removed, expect }: Step): boolean =>
  (removed.length > 0 || (put.length === 1 && put.every(({ key }) => isReplaced(key, expect)))) &&
  put.every(({ value }) => value.length <= SMALL_BYTES);

const isReplaced = (key: Buffer, expect: Step['expect']): boolean =>
  expect.some((condition) => condition.version !== undefined && condition.key.equals(key));
