import { setTimeout as sleep } from 'node:timers/promises';
import { NoResponseError, outcomeOf, RequestError } from './failures.js';

const ATTEMPTS = 4;

/** The maximum pause after the first attempt, in milliseconds. It doubles with each attempt. */
const FIRST_PAUSE = 200;

/** An attempt in less time would only hide why the one before has failed, in milliseconds. */
const LEAST_TIME = 50;

/** Makes one attempt at a request. The signal ends it. */
export type Attempt<T> = (signal: AbortSignal) => Promise<T>;

/** Makes requests, with up to four attempts each within a time limit. */
export class Requests {
  readonly #place: string;
  readonly #timeout: number;

  /** `timeout`: how long a request may take with all of its attempts, in milliseconds. */
  constructor(place: string, timeout: number) {
    this.#place = place;
    this.#timeout = timeout;
  }

  /** How long to wait for a response, or for more of it, in milliseconds. */
  get attemptTimeout(): number {
    return this.#timeout / 3;
  }

  /** Rejects with a {@link RequestError}, or with the signal's reason if it is aborted. */
  async send<T>(operation: string, work: Attempt<T>, signal?: AbortSignal): Promise<T> {
    const end = performance.now() + this.#timeout;
    let unsettled = false;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      try {
        const limit = Math.min(this.attemptTimeout, end - performance.now());
        return await attemptWithin(limit, work, signal);
      } catch (error) {
        signal?.throwIfAborted();
        const outcome = outcomeOf(error);
        unsettled ||= outcome === 'unknown';
        const pause = pauseAfter(attempt);
        const isLast = attempt === ATTEMPTS || performance.now() + pause + LEAST_TIME >= end;
        const failure = new RequestError(operation, this.#place, error, unsettled);
        if (outcome === 'refused' || isLast) throw failure;
        await sleep(pause, undefined, { signal }).catch(() => signal?.throwIfAborted());
        // On a busy machine, the pause may have taken longer.
        if (performance.now() + LEAST_TIME >= end) throw failure;
      }
    }
  }
}

/** The pause in milliseconds. Half of it is random, so that callers do not all retry at once. */
export const pauseAfter = (attempt: number): number =>
  FIRST_PAUSE * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);

async function attemptWithin<T>(
  limit: number,
  work: Attempt<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new NoResponseError(limit);
      reject(error);
      controller.abort(error);
    }, limit);
  });
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
