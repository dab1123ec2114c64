import type { Writer } from './writer.js';

/** The key of the last reserved version: it sorts after all others, so that no listing shows it. */
const SEQUENCE_KEY = Buffer.from([0xff]);
const NOTHING = Buffer.from([0]);

/** How many versions a process reserves at a time. */
const BLOCK = 1_000_000;

/**
 * Versions that are never used twice, by any process for any key. Each process takes them from its
 * own block, whose reservation is on the disk before the first version is used.
 */
export class Versions {
  readonly #writer: Writer;
  #next = 0;
  #end = 0;
  #reserving: Promise<void> | undefined;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** Whether enough versions are left for all commits that may be running. */
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
    const first = await this.#reserveBlock();
    this.#next = first;
    this.#end = first + BLOCK;
  }

  /** Reserves a block. Tries again while other processes reserve theirs. */
  async #reserveBlock(): Promise<number> {
    for (;;) {
      const reserved = this.#writer.versionOf(SEQUENCE_KEY);
      const isDone = await this.#writer.write({
        expect: [{ key: SEQUENCE_KEY, version: reserved }],
        delete: [],
        put: [{ key: SEQUENCE_KEY, value: NOTHING }],
        version: (reserved ?? 1) + BLOCK,
      });
      if (isDone) return reserved ?? 1;
    }
  }
}
