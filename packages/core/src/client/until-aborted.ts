/**
 * Yields the chunks until the signal aborts, then throws its reason at once, even while the next
 * chunk is awaited: a stalled source might never continue.
 */
export async function* untilAborted(
  chunks: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let giveUp = (_reason: unknown): void => {};
  const onAbort = () => giveUp(signal.reason);
  signal.addEventListener('abort', onAbort);
  // Not Promise.race: a promise that lives as long as the signal would retain the result of each
  // race.
  const next = () =>
    new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
      giveUp = reject;
      chunks.next().then(resolve, reject);
    });
  let waiting = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      waiting = true;
      const { done, value } = await next();
      waiting = false;
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // A source that is still awaited is closed by the code that opened it.
    if (!waiting) await chunks.return(undefined);
  }
}

/**
 * The chunks of a web stream. They end when the signal aborts: the stream itself is then cancelled
 * through its reader, which has locked it.
 */
export async function* chunksOfWeb<T>(
  stream: ReadableStream<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  const reader = stream.getReader();
  const cancel = () => reader.cancel(signal?.reason);
  const onAbort = () => void cancel().catch(() => {}); // The call reports why it ended.
  signal?.addEventListener('abort', onAbort);
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      ended = done;
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    if (!ended && signal?.aborted !== true) await cancel().catch(() => {});
    reader.releaseLock();
  }
}
