import { getLastVersion } from 'lmdb';
import type { Database } from './database.js';
import type { Writer } from './writer.js';

/** Where the database keeps its last version: after all keys, so that no listing shows it. */
const SEQUENCE_KEY = Buffer.from([0xff]);
const NOTHING = Buffer.from([0]);

/** Versions that a process reserves at a time. */
const BLOCK = 1_000_000;

/**
 * Versions that no process and no key ever gets again. Each process takes them from a block of its
 * own, whose reservation is on the disk before the first is used.
 */
export class Versions {
  readonly #writer: Writer;
  #next = 0;
  #end = 0;
  #reserving: Promise<void> | undefined;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** Whether there are enough left for the commits that may be under way. */
  get ready(): boolean {
    return this.#end - this.#next > BLOCK / 2;
  }

  next(): number {
    return this.#next++;
  }

  reserve(): Promise<void> {
    this.#reserving ??= this.#reserve().finally(() => {
      this.#reserving = undefined;
    });
    return this.#reserving;
  }

  async #reserve(): Promise<void> {
    const first = await this.#writer.run((database) => {
      const reserved = versionOf(database, SEQUENCE_KEY) ?? 1;
      database.put(SEQUENCE_KEY, NOTHING, reserved + BLOCK);
      return reserved;
    });
    this.#next = first;
    this.#end = first + BLOCK;
  }
}

/** Without making a copy of the value, as `getEntry` would. */
export const versionOf = (database: Database, key: Buffer): number | undefined =>
  database.getBinaryFast(key) && getLastVersion();
