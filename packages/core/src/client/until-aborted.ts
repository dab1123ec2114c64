/**
 * The same chunks until the signal aborts. Then its reason is thrown at once, also while the next
 * chunk is awaited: a source that has stalled need never go on.
 */
export async function* untilAborted(
  chunks: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let giveUp = (_reason: unknown): void => {};
  const onAbort = () => giveUp(signal.reason);
  signal.addEventListener('abort', onAbort);
  // No race of promises: one that lives as long as the signal would keep what each race was won by.
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
    // A source that is still awaited is ended by whoever opened it.
    if (!waiting) await chunks.return(undefined);
  }
}

/** The chunks of a web stream, which is cancelled when the signal aborts: its reader locks it. */
export async function* chunksOfWeb<T>(
  stream: ReadableStream<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  const reader = stream.getReader();
  const cancel = () => reader.cancel(signal?.reason);
  const onAbort = () => void cancel().catch(() => {}); // The call tells why it ended.
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
