import pLimit, { type LimitFunction } from 'p-limit';
import { tooBusy } from '../../errors.js';
import { Turn } from './turn.js';

/** Lets each caller run a few tasks at a time. Others wait, up to a limit. */
export class CallerLimit {
  readonly #atOnce: number;
  readonly #waiting: number;
  readonly #what: string;
  readonly #callers = new Map<string, { readonly limit: LimitFunction; tasks: number }>();

  /**
   * `waiting`: how many tasks of one caller may wait; any more fail. `what` names the tasks in the
   * message.
   */
  constructor(atOnce: number, waiting: number, what: string) {
    this.#atOnce = atOnce;
    this.#waiting = waiting;
    this.#what = what;
  }

  /** Runs a task in a turn of the caller. Throws ServiceUnavailable when too many are waiting. */
  run<T>(caller: string, task: (turn: Turn) => Promise<T>): Promise<T> {
    return this.admit(caller, (inTurn) => inTurn(task));
  }

  /**
   * Counts a task that waits for something else before its turn. Throws ServiceUnavailable when too
   * many are waiting. A task is counted until its turn ends.
   */
  async admit<T>(
    caller: string,
    start: (inTurn: (task: (turn: Turn) => Promise<T>) => Promise<T>) => Promise<T>,
  ): Promise<T> {
    const own = this.#callers.get(caller) ?? { limit: pLimit(this.#atOnce), tasks: 0 };
    if (own.tasks >= this.#atOnce + this.#waiting) {
      const message = `Too many of your ${this.#what} at the moment. Try again when some have finished.`;
      throw tooBusy(message);
    }
    this.#callers.set(caller, own);
    own.tasks++;
    const turn = new Turn(own.limit, () => {
      own.tasks--;
      if (own.tasks === 0) this.#callers.delete(caller);
    });
    try {
      return await start(async (task) => {
        await turn.begin();
        return task(turn);
      });
    } finally {
      turn.end();
    }
  }
}
