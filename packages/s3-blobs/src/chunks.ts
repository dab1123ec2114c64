/** A source in pieces of `size` bytes; only the last one is shorter, or empty if there is no other. */
export async function* inPieces(
  source: AsyncIterable<Uint8Array>,
  size: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  let chunks: Uint8Array[] = [];
  let held = 0;
  let pieces = 0;
  signal?.throwIfAborted();
  for await (let chunk of source) {
    signal?.throwIfAborted();
    while (held + chunk.length > size) {
      const room = size - held;
      chunks.push(chunk.subarray(0, room));
      chunk = chunk.subarray(room);
      // What is full is sent once it is known that more follows: a body of just this size is one piece.
      yield joined(chunks);
      pieces++;
      [chunks, held] = [[], 0];
    }
    if (chunk.length > 0) chunks.push(chunk);
    held += chunk.length;
  }
  signal?.throwIfAborted();
  if (held > 0 || pieces === 0) yield joined(chunks);
}

function joined(chunks: readonly Uint8Array[]): Buffer {
  const [only] = chunks;
  if (only === undefined || chunks.length > 1) return Buffer.concat(chunks);
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
