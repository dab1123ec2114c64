export interface Patience {
  /** Ends the request when the caller does, or when nothing has happened for too long. */
  readonly signal: AbortSignal | undefined;
  /** Something has happened. */
  renew(): void;
  /** The response has begun. */
  end(): void;
}

/** Gives a request up when nothing happens for so many milliseconds, so that it can be repeated. */
export function patienceOf(signal: AbortSignal | undefined, timeout: number): Patience {
  // Browsers before 2024 do not have it: their own timeouts are longer.
  if (timeout === 0 || AbortSignal.any === undefined) {
    return { signal, renew: () => {}, end: () => {} };
  }
  const controller = new AbortController();
  const giveUp = () => controller.abort(new DOMException('Nothing happened.', 'TimeoutError'));
  let timer = setTimeout(giveUp, timeout);
  const end = () => clearTimeout(timer);
  return {
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    renew() {
      end();
      timer = setTimeout(giveUp, timeout);
    },
    end,
  };
}
