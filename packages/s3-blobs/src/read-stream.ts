import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from './failures.js';
import { pauseAfter } from './requests.js';

/** So often in a row an answer may break off without a byte. */
const MAX_BREAKS = 3;

export interface ReadStreamOptions {
  /** The answer that has begun. */
  readonly body: Readable;
  readonly start: number;
  readonly end: number;
  /** How many milliseconds the store may take for the next bytes. */
  readonly patience: number;
  /** Opens the bytes from a position to the end once more. */
  reopen(start: number): Promise<Readable>;
  /** The failure of a stream that broke off too often. */
  failure(cause: unknown): Error;
}

/** The bytes of an answer. When it breaks off, it is continued at that byte with another request. */
export class ResumedStream extends Readable {
  readonly #options: ReadStreamOptions;
  #body: Readable;
  #chunks: AsyncIterator<Uint8Array>;
  #position: number;
  #breaks = 0;

  constructor(options: ReadStreamOptions) {
    // Reads nothing ahead: hundreds of slow clients may hold a chunk each.
    super({ highWaterMark: 0 });
    this.#options = options;
    this.#position = options.start;
    this.#body = options.body;
    this.#chunks = chunksOf(options.body);
  }

  override _read(): void {
    this.#readChunk().then(
      (chunk) => this.push(chunk),
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#body.destroy();
    callback(error);
  }

  async #readChunk(): Promise<Uint8Array | null> {
    const { end, patience } = this.#options;
    for (;;) {
      if (this.#position >= end) return null;
      try {
        const chunk = await this.#next(patience);
        if (chunk.length === 0) continue;
        this.#position += chunk.length;
        this.#breaks = 0;
        if (this.#position > end) throw new TooLongError();
        return chunk;
      } catch (error) {
        if (this.destroyed || error instanceof TooLongError) throw error;
        await this.#resume(error);
      }
    }
  }

  async #next(patience: number): Promise<Uint8Array> {
    const stall = (): void =>
      void this.#body.destroy(new Error(`No bytes came for ${patience} ms.`));
    const timer = setTimeout(stall, patience);
    try {
      const { done, value } = await this.#chunks.next();
      if (done) throw new Error('The answer ended before all bytes had come.');
      return value;
    } finally {
      clearTimeout(timer);
    }
  }

  async #resume(cause: unknown): Promise<void> {
    this.#body.destroy();
    this.#breaks++;
    if (this.#breaks > MAX_BREAKS) throw this.#options.failure(cause);
    if (this.#breaks > 1) await sleep(pauseAfter(this.#breaks));
    const body = await this.#options.reopen(this.#position);
    if (this.destroyed) body.destroy();
    this.#body = body;
    this.#chunks = chunksOf(body);
  }
}

class TooLongError extends Error {
  constructor() {
    super('The store sent more bytes than it was asked for.');
  }
}

function chunksOf(body: Readable): AsyncIterator<Uint8Array> {
  body.on('error', () => {}); // Its reader learns of it, if there is one.
  return body[Symbol.asyncIterator]();
}

export const brokenOff = (place: string) => (cause: unknown) =>
  new RequestError('GetObject', place, new BrokenOffError(cause), false);

/** Has a code, as all failures of connections have. */
class BrokenOffError extends Error {
  readonly code = 'ECONNRESET';

  constructor(cause: unknown) {
    super('The answer broke off again and again.', { cause });
  }
}
