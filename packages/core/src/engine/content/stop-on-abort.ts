/** The bytes, for as long as somebody waits for what is made of them. */
export async function* stopOnAbort(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    signal?.throwIfAborted();
    yield chunk;
  }
  signal?.throwIfAborted();
}
