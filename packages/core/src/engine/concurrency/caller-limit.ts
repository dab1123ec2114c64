import pLimit, { type LimitFunction } from 'p-limit';
import { StorageError } from '../../errors.js';

/** How many copies of one caller may wait for their turn. Further ones are refused. */
const MOST_WAITING = 64;

const BUSY = 'Too many of your copies are running. Try again when some of them have ended.';

/** Lets a few tasks of each caller run at a time. Others wait, up to a limit. */
export class CallerLimit {
  readonly #atOnce: number;
  readonly #callers = new Map<string, { readonly limit: LimitFunction; tasks: number }>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Throws ServiceUnavailable when too many are waiting. */
  async run<T>(caller: string, task: () => Promise<T>): Promise<T> {
    const own = this.#callers.get(caller) ?? { limit: pLimit(this.#atOnce), tasks: 0 };
    if (own.tasks >= this.#atOnce + MOST_WAITING) {
      throw new StorageError('ServiceUnavailable', BUSY, { details: { retryAfter: 5 } });
    }
    this.#callers.set(caller, own);
    own.tasks++;
    try {
      return await own.limit(task);
    } finally {
      own.tasks--;
      if (own.tasks === 0) this.#callers.delete(caller);
    }
  }
}
