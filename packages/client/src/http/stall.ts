export interface StallTimer {
  /** Aborts when the caller aborts, or when there was no progress for too long. */
  readonly signal: AbortSignal | undefined;
  /** Call it when there is progress. */
  renew(): void;
  /**
   * Call it when the request has ended: a signal that outlives many requests must not retain them
   * all.
   */
  end(): void;
}

/**
 * Aborts a request that makes no progress for `timeout` milliseconds, so that it can be repeated.
 */
export function startStallTimer(signal: AbortSignal | undefined, timeout: number): StallTimer {
  if (timeout === 0) return { signal, renew: () => {}, end: () => {} };
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  const giveUp = () => controller.abort(new DOMException('', 'TimeoutError'));
  if (signal?.aborted) follow();
  signal?.addEventListener('abort', follow);
  let timer = setTimeout(giveUp, timeout);
  return {
    signal: controller.signal,
    renew() {
      clearTimeout(timer);
      timer = setTimeout(giveUp, timeout);
    },
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', follow);
    },
  };
}
