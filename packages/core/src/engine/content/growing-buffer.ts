/**
 * Collects chunks in one buffer. In a list, chunks of one byte each would take hundreds of times
 * the memory of their data.
 */
export class GrowingBuffer {
  size = 0;
  /**
   * The first chunk itself; from the second on, a buffer of our own, which doubles up to the
   * expected maximum.
   */
  #bytes: Uint8Array = new Uint8Array();
  readonly #most: number;

  /** `most`: the maximum number of bytes to expect. */
  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Uint8Array): void {
    const end = this.size + chunk.length;
    if (this.size === 0) {
      this.#bytes = chunk;
    } else {
      if (end > this.#bytes.length) this.#grow(end);
      this.#bytes.set(chunk, this.size);
    }
    this.size = end;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.size);
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafe(
      Math.max(needed, Math.min(2 * this.#bytes.length, this.#most)),
    );
    grown.set(this.#bytes.subarray(0, this.size));
    this.#bytes = grown;
  }
}
