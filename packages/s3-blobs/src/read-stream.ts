import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from './failures.js';
import { pauseAfter } from './requests.js';

/** How many times in a row a response may break off without delivering a byte. */
const MAX_BREAKS = 3;

export interface ReadStreamOptions {
  /** The body of the response that has begun. */
  readonly body: Readable;
  readonly start: number;
  readonly end: number;
  /** How long the store may take for the next bytes, in milliseconds. */
  readonly dataTimeout: number;
  /** Opens the data again, from a position to the end. */
  reopen(start: number): Promise<Readable>;
  /** The error for a stream that broke off too often. */
  failure(cause: unknown): Error;
}

/** The body of a response. If it breaks off, another request continues at the next byte. */
export class ResumedStream extends Readable {
  readonly #options: ReadStreamOptions;
  #body: Readable;
  #chunks: AsyncIterator<Uint8Array>;
  #position: number;
  #breaks = 0;

  constructor(options: ReadStreamOptions) {
    // No read-ahead: hundreds of slow clients would each keep a chunk in memory.
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
    const { end, dataTimeout } = this.#options;
    for (;;) {
      if (this.#position >= end) return null;
      try {
        const chunk = await this.#next(dataTimeout);
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

  async #next(dataTimeout: number): Promise<Uint8Array> {
    const stall = (): void =>
      void this.#body.destroy(new Error(`No data arrived for ${dataTimeout} ms.`));
    const timer = setTimeout(stall, dataTimeout);
    try {
      const { done, value } = await this.#chunks.next();
      if (done) throw new Error('The response ended too early.');
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

export class TooLongError extends Error {
  constructor() {
    super('The store sent more bytes than were requested.');
  }
}

function chunksOf(body: Readable): AsyncIterator<Uint8Array> {
  body.on('error', () => {}); // Its reader, if it has one, receives the error.
  return body[Symbol.asyncIterator]();
}

/** The first bytes of a body: all of them, or more than `limit`. */
export async function startOf(body: Readable, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break; // The store could send more and more.
  }
  return Buffer.concat(chunks);
}

export const brokenOff = (place: string) => (cause: unknown) =>
  new RequestError('GetObject', place, new BrokenOffError(cause), false);

/** An error with a code, like all failures of connections. */
class BrokenOffError extends Error {
  readonly code = 'ECONNRESET';

  constructor(cause: unknown) {
    super('The response broke off repeatedly.', { cause });
  }
}
