export interface Patience {
  /** Ends the request when the caller does, or when nothing has happened for too long. */
  readonly signal: AbortSignal | undefined;
  /** Something has happened. */
  renew(): void;
  /** The request is over. A signal that outlives many requests must not remember them all. */
  end(): void;
}

/** Gives a request up when nothing happens for so many milliseconds, so that it can be repeated. */
export function patienceOf(signal: AbortSignal | undefined, timeout: number): Patience {
  if (timeout === 0) return { signal, renew: () => {}, end: () => {} };
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  const giveUp = () => controller.abort(new DOMException('Nothing happened.', 'TimeoutError'));
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
