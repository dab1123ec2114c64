/**
 * The size, in bytes, from which a buffer for a whole piece is allocated, so that the data need not
 * be copied again as the piece grows.
 */
const FEW = 256 * 1024;

/**
 * Splits a source into pieces of `size` bytes. The last piece may be shorter. An empty source
 * results in one empty piece.
 */
export async function* inPieces(
  source: AsyncIterable<Uint8Array>,
  size: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  let piece = new Piece(size);
  let pieces = 0;
  signal?.throwIfAborted();
  for await (const chunk of source) {
    signal?.throwIfAborted();
    for (let rest = chunk; rest.length > 0; ) {
      // A full piece is passed on only when more data follows, so that a source of exactly this
      // size is a single piece.
      if (piece.room === 0) {
        yield piece.bytes;
        pieces++;
        piece = new Piece(size);
      }
      const part = rest.subarray(0, piece.room);
      piece.add(part);
      rest = rest.subarray(part.length);
    }
  }
  signal?.throwIfAborted();
  if (piece.room < size || pieces === 0) yield piece.bytes;
}

class Piece {
  readonly #size: number;
  #buffer = Buffer.alloc(0);
  #held = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get room(): number {
    return this.#size - this.#held;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#held);
  }

  add(chunk: Uint8Array): void {
    const end = this.#held + chunk.length;
    if (end > this.#buffer.length) {
      const capacity = end > FEW ? this.#size : Math.max(end, 2 * this.#buffer.length);
      const larger = Buffer.allocUnsafeSlow(Math.min(capacity, this.#size));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#held);
    this.#held = end;
  }
}
