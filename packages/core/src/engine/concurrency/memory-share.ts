import { StorageError } from '../../errors.js';

/** The most memory that one body can take: 10,000 parts in XML, with what is parsed from it. */
const LARGEST_BODY = 4 * 1024 * 1024;

/** How many bytes of each request are not counted: its socket alone takes more. */
export const UNCOUNTED_BYTES = 16 * 1024;

/**
 * Memory whose size and duration clients decide: incoming JSON and XML bodies with appends that wait
 * for their commit, or responses that are not read.
 */
export interface SharedMemory {
  /** The maximum number of bytes. */
  readonly most: number;
  held: number;
  /** The bytes that each caller uses now. */
  readonly callers: Map<string, number>;
}

/** The fraction that one caller may use, so that others always have room. */
const SHARE_OF_ONE = 1 / 8;

/** The memory of one request. */
export class MemoryShare {
  readonly #memory: SharedMemory;
  readonly #caller: string;
  #size = 0;
  #held = 0;

  constructor(memory: SharedMemory, caller: string) {
    this.#memory = memory;
    this.#caller = caller;
  }

  /**
   * Counts more bytes of the request. Returns false, and counts nothing, if there is no room for
   * them.
   */
  take(bytes: number): boolean {
    const more = this.#counted(bytes);
    if (more > 0) {
      const { most, held, callers } = this.#memory;
      const own = (callers.get(this.#caller) ?? 0) + more;
      // With little memory, an eighth of it would never have room for the largest body.
      const share = Math.max(most * SHARE_OF_ONE, LARGEST_BODY);
      if (held + more > most || own > share) return false;
    }
    this.overdraw(bytes);
    return true;
  }

  /**
   * Like `take`, but returns false only if the caller uses memory already: what is larger than the
   * limits could otherwise never be done.
   */
  takeFirst(bytes: number): boolean {
    if (this.take(bytes)) return true;
    if (this.#memory.callers.has(this.#caller)) return false;
    this.overdraw(bytes);
    return true;
  }

  /** Counts more bytes even if there is no room; the caller's next requests then have less. */
  overdraw(bytes: number): void {
    const more = this.#counted(bytes);
    this.#size += bytes;
    if (more <= 0) return;
    const { callers } = this.#memory;
    this.#held += more;
    this.#memory.held += more;
    callers.set(this.#caller, (callers.get(this.#caller) ?? 0) + more);
  }

  /** How many of these bytes count, beyond the uncounted first ones. */
  #counted(bytes: number): number {
    return Math.max(0, this.#size + bytes - UNCOUNTED_BYTES) - this.#held;
  }

  /** Stops counting the bytes. Call it when they are no longer in memory. */
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

/** The error when there is no memory for the bytes and no other place to keep them. */
export const tooMuchMemory = (what: string): StorageError =>
  new StorageError(
    'SlowDown',
    `Too many large ${what} are being processed at the moment. Try again later.`,
    { details: { retryAfter: 5 } },
  );
