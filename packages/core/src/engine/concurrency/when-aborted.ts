/** The signal of a request, which aborts when its client leaves. */
export type SignalOf = () => AbortSignal | undefined;

/** Rejects with the signal's reason when it aborts. Never resolves. */
export function whenAborted(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  aborted.catch(() => {}); // Those who wait for it get the error.
  return aborted;
}
