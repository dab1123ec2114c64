import pLimit, { type LimitFunction } from 'p-limit';
import { StorageError } from '../../errors.js';

/** So many copies of one caller wait for their turn; of more, the next is refused. */
const MOST_WAITING = 64;

const BUSY =
  'Too many of your copies read bytes at this moment. Try again when some of them have ended.';

/** Lets a few tasks of each caller run at a time. The others wait, up to a bound. */
export class CallerLimit {
  readonly #atOnce: number;
  readonly #callers = new Map<string, { readonly limit: LimitFunction; tasks: number }>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Throws ServiceUnavailable when too many wait already. */
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
