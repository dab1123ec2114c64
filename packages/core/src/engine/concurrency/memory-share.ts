import { StorageError } from '../../errors.js';
import { MAX_DELETE_BODY_BYTES } from '../../limits.js';

/** No operation takes a larger body of JSON. */
const LARGEST_BODY = MAX_DELETE_BODY_BYTES;

/** Bytes of each request that are not counted: the sockets themselves take more. */
export const UNCOUNTED_BYTES = 16 * 1024;

/**
 * Memory whose size clients decide, and for how long it is taken: JSON bodies that arrive, appends
 * that wait for their commit, and answers that are not read.
 */
export interface SharedMemory {
  /** At most so many bytes. */
  readonly most: number;
  held: number;
  /** Of each caller that takes some now. */
  readonly callers: Map<string, number>;
}

/** One caller may take such a part of it, so that others always find room. */
const SHARE_OF_ONE = 1 / 8;

/** What one request takes of it. */
export class MemoryShare {
  readonly #memory: SharedMemory;
  readonly #caller: string;
  #size = 0;
  #held = 0;

  constructor(memory: SharedMemory, caller: string) {
    this.#memory = memory;
    this.#caller = caller;
  }

  /** Counts more bytes of the request. False: there is no room for them, and they are not counted. */
  take(bytes: number): boolean {
    const size = this.#size + bytes;
    const more = Math.max(0, size - UNCOUNTED_BYTES) - this.#held;
    if (more > 0) {
      const { most, held, callers } = this.#memory;
      const own = (callers.get(this.#caller) ?? 0) + more;
      // One body always fits, however small the memory is.
      const share = Math.max(most * SHARE_OF_ONE, LARGEST_BODY);
      if (held + more > most || own > share) return false;
      this.#held += more;
      this.#memory.held += more;
      callers.set(this.#caller, own);
    }
    this.#size = size;
    return true;
  }

  /** The bytes are not in memory any more. */
  release(): void {
    const { callers } = this.#memory;
    const left = (callers.get(this.#caller) ?? 0) - this.#held;
    if (left > 0) callers.set(this.#caller, left);
    else callers.delete(this.#caller);
    this.#memory.held -= this.#held;
    this.#held = 0;
    this.#size = 0;
  }
}

/** What is answered where bytes can wait nowhere else. */
export const tooMuchMemory = (what: string): StorageError =>
  new StorageError(
    'SlowDown',
    `Too many large ${what} are under way at this moment. Try again later.`,
    { details: { retryAfter: 5 } },
  );
