/** Yields the data until the caller stops waiting for the result. */
export async function* stopOnAbort(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    signal?.throwIfAborted();
    yield chunk;
  }
  signal?.throwIfAborted();
}
