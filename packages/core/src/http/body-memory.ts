import { StorageError } from '../errors.js';
import { MAX_DELETE_BODY_BYTES } from '../limits.js';

/** No operation takes a larger JSON body. */
const LARGEST_BODY = MAX_DELETE_BODY_BYTES;

/** Bytes of each body that are not counted: the sockets themselves take more. */
const FREE = 16 * 1024;

/** The bytes of JSON bodies that have arrived and are not parsed yet, of all requests together. */
export interface BodyMemory {
  /** At most so many. */
  readonly most: number;
  held: number;
  /** Of each caller that sends some now. */
  readonly callers: Map<string, number>;
}

/** One caller may hold such a part of it, so that others always find room. */
const SHARE_OF_ONE = 1 / 8;

/** What one body takes of it. */
export class BodyShare {
  readonly #memory: BodyMemory;
  readonly #caller: string;
  #size = 0;
  #held = 0;

  constructor(memory: BodyMemory, caller: string) {
    this.#memory = memory;
    this.#caller = caller;
  }

  /** Throws ServiceUnavailable when the bodies of all requests together would be too large. */
  add(bytes: number): void {
    this.#size += bytes;
    const more = Math.max(0, this.#size - FREE) - this.#held;
    if (more === 0) return;
    const { most, held, callers } = this.#memory;
    const own = (callers.get(this.#caller) ?? 0) + more;
    // One body always fits, however small the memory is.
    const share = Math.max(most * SHARE_OF_ONE, LARGEST_BODY);
    if (held + more > most || own > share) {
      throw new StorageError('SlowDown', BUSY, { details: { retryAfter: 5 } });
    }
    this.#held += more;
    this.#memory.held += more;
    callers.set(this.#caller, own);
  }

  /** The body is parsed, or given up. */
  release(): void {
    const { callers } = this.#memory;
    const left = (callers.get(this.#caller) ?? 0) - this.#held;
    if (left > 0) callers.set(this.#caller, left);
    else callers.delete(this.#caller);
    this.#memory.held -= this.#held;
    this.#held = 0;
  }
}

const BUSY = 'Too many large JSON bodies are being sent at this moment. Try again later.';
