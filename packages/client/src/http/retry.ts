import { hasCode, StorageError } from '../errors.js';

export interface RetryOptions {
  /** How many times a request is repeated. Default 6; 0: never. */
  readonly times?: number | undefined;
  /**
   * The maximum length of the first pause, in milliseconds. The maximum doubles with each further
   * pause. Default 500.
   */
  readonly firstDelay?: number | undefined;
  /** The maximum length of any pause, in milliseconds. Default 15 s. */
  readonly maxDelay?: number | undefined;
}

const LOST = [0, 429, 500, 502, 503, 504];

/** Whether it is unknown what became of the request. */
export const isLost = (error: unknown): boolean =>
  error instanceof StorageError && !error.isRefusal && LOST.includes(error.status);

/**
 * Whether repeating a request can succeed. A request that must not be carried out twice is repeated
 * only if the storage reports that it did nothing.
 */
export const isWorthRetrying = (error: unknown, mayRepeat: boolean): error is StorageError =>
  error instanceof StorageError &&
  !hasCode(error, 'UnexpectedResponse') &&
  (error.isRefusal || (mayRepeat && (isLost(error) || isCut(error))));

/** Whether the body was damaged or truncated in transit. */
const isCut = (error: StorageError): boolean =>
  hasCode(error, 'ReadBodyError', 'RequestTimeout', 'BadDigest');

/**
 * The pause before a try, in milliseconds: random up to a limit that doubles, so that many clients
 * do not come back at the same time.
 */
export function delayBefore(
  attempt: number,
  { firstDelay = 500, maxDelay = 15_000 }: RetryOptions,
  { retryAfter = 0 }: StorageError,
): number {
  const limit = Math.min(firstDelay * 2 ** attempt, maxDelay);
  const random = limit / 2 + (Math.random() * limit) / 2;
  return Math.max(random, Math.min(retryAfter * 1000, 60_000));
}

/** Rejects with the signal's reason when that comes first. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}
