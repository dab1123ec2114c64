import { CallerLimit } from './caller-limit.js';
import { MOST_WAITING } from './kept-lists.js';

const AT_ONCE = 256;

/** After this time, a download that is being opened keeps no other one waiting. */
const LATE_MS = 1000;

/**
 * Limits the downloads that are being opened at a time: those of each caller, because a client may
 * request many and cancel them, and those of each object. The backend may not answer for one object,
 * and its downloads must leave room for those of others.
 */
export class OpenLimit {
  readonly #callers = new CallerLimit(AT_ONCE, MOST_WAITING, 'downloads are being opened');
  readonly #objects = new CallerLimit(
    AT_ONCE / 2,
    MOST_WAITING / 2,
    'downloads of this object are being opened',
  );

  /**
   * Runs a task when it is its turn. Throws ServiceUnavailable when too many are waiting.
   *
   * @param object Identifies the object.
   */
  run<T>(caller: string, object: string, task: () => Promise<T>): Promise<T> {
    return this.#callers.admit(caller, (inTurn) =>
      this.#objects.run(`${object} ${caller}`, (ofObject) =>
        inTurn(async (ofCaller) => {
          const late = setTimeout(() => {
            ofObject.end();
            ofCaller.end();
          }, LATE_MS);
          try {
            return await task();
          } finally {
            clearTimeout(late);
          }
        }),
      ),
    );
  }
}
