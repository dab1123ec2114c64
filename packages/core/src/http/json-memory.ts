import { StorageError } from '../errors.js';

/** Bytes of each body that are not counted: the sockets themselves take more. */
const FREE = 16 * 1024;

/** The bytes of JSON bodies that have arrived and are not parsed yet, of all requests together. */
export interface JsonMemory {
  /** At most so many. */
  readonly most: number;
  held: number;
}

/** What one body takes of it. */
export class JsonShare {
  readonly #memory: JsonMemory;
  #size = 0;
  #held = 0;

  constructor(memory: JsonMemory) {
    this.#memory = memory;
  }

  /** Throws ServiceUnavailable when the bodies of all requests together would be too large. */
  add(bytes: number): void {
    this.#size += bytes;
    const more = Math.max(0, this.#size - FREE) - this.#held;
    if (more === 0) return;
    if (this.#memory.held + more > this.#memory.most) {
      throw new StorageError('ServiceUnavailable', BUSY, { headers: { 'retry-after': '5' } });
    }
    this.#held += more;
    this.#memory.held += more;
  }

  /** The body is parsed, or given up. */
  release(): void {
    this.#memory.held -= this.#held;
    this.#held = 0;
  }
}

const BUSY = 'Too many large JSON bodies are being sent at this moment. Try again later.';
