import { Readable } from 'node:stream';
import type { ChunkMemory } from '../store.js';

/**
 * Sends a chunk. Resolves once its memory is no longer needed, to whether more chunks are wanted.
 */
export type Send = (chunk: Uint8Array) => Promise<boolean>;

/**
 * How sending ended: everything was sent, no more was wanted, or something else began to read from
 * the stream.
 */
type Outcome = 'whole' | 'refused' | 'requested';

/** If a client takes longer than this for a chunk, the next one would only wait in memory. */
const QUICK_MS = 100;

/**
 * The data of an object. As a stream, it reads only on request, because there may be many slow
 * clients. A consumer that knows when a chunk was sent calls {@link ContentStream.sendTo} instead.
 */
export class ContentStream extends Readable {
  readonly #buffers: ChunkMemory;
  readonly #rest: AsyncGenerator<Uint8Array>;
  #first: Uint8Array | undefined;
  #isAhead = false;
  #isSending = false;
  /** `_read` was called while chunks were sent; its chunk is read when sending has ended. */
  #isRequested = false;
  /** How many bytes {@link ContentStream.sendTo} has sent. */
  bytesSent = 0;

  /** `first` was read from the same source as the rest. */
  constructor(first: Uint8Array, rest: AsyncGenerator<Uint8Array>, buffers: ChunkMemory) {
    super({ highWaterMark: 0 });
    this.#first = first;
    this.#rest = rest;
    this.#buffers = buffers;
  }

  /**
   * Sends all data and then ends. While one chunk is being sent, the next is read, and the memory
   * of a sent chunk is reused. If something else starts to read from the stream meanwhile, such as
   * a listener that counts bytes, the rest goes through the stream: `handOver` adds a reader that
   * sends it.
   */
  sendTo(send: Send, handOver: () => void): void {
    this.#isSending = true;
    this.#sendAll(send).then(
      (outcome) => {
        this.#isSending = false;
        if (outcome === 'refused' || this.destroyed) return this.destroy();
        if (outcome === 'requested') {
          handOver();
          if (this.#isRequested) this._read();
          return this;
        }
        this.push(null);
        return this.resume();
      },
      (error: Error) => this.destroy(error),
    );
  }

  async #sendAll(send: Send): Promise<Outcome> {
    let next = this.#next();
    let isQuick = true;
    for (;;) {
      const chunk = await next;
      if (chunk === undefined) return 'whole';
      // A listener makes the stream flow at once, but requests data a little later.
      if (this.#isRequested || this.readableFlowing !== null) {
        this.#first = chunk;
        return 'requested';
      }
      const began = performance.now();
      this.bytesSent += chunk.length;
      const sent = send(chunk);
      if (isQuick && this.#startAhead()) {
        next = this.#next();
        next.catch(() => {}); // It is awaited below, after this chunk has left.
      }
      if (!(await sent)) return 'refused';
      this.#buffers.give(chunk);
      isQuick = performance.now() - began < QUICK_MS;
      if (!this.#endAhead()) next = this.#next();
    }
  }

  #startAhead(): boolean {
    this.#isAhead = !this.destroyed && this.#buffers.startAhead();
    return this.#isAhead;
  }

  #endAhead(): boolean {
    const was = this.#isAhead;
    this.#isAhead = false;
    if (was) this.#buffers.endAhead();
    return was;
  }

  async #next(): Promise<Uint8Array | undefined> {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) return first;
    const { done, value } = await this.#rest.next();
    return done ? undefined : value;
  }

  override _read(): void {
    if (this.#isSending) {
      this.#isRequested = true;
      return;
    }
    this.#next().then(
      (chunk) => this.push(chunk ?? null),
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#endAhead();
    this.#first = undefined;
    const end = () => callback(error);
    this.#rest.return(undefined).then(end, end);
  }
}
