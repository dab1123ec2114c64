import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Shorter waits are added up, because timers are not that precise. */
const LEAST_WAIT = 10;

/** Spreads background work evenly over time, and lets other work run in between. */
export class Pace {
  readonly #bytesPerSecond: number;
  readonly #signal: AbortSignal | undefined;
  #due = 0;

  constructor(bytesPerSecond: number, signal: AbortSignal | undefined) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#signal = signal;
  }

  /**
   * Resolves when the time for this many bytes has passed. Throws the signal's reason when it
   * aborts.
   */
  async spend(bytes: number): Promise<void> {
    this.#signal?.throwIfAborted();
    const now = performance.now();
    this.#due = Math.max(this.#due, now) + (bytes / this.#bytesPerSecond) * 1000;
    const wait = this.#due - now;
    if (wait < LEAST_WAIT) await setImmediate();
    else await sleep(wait, undefined, { signal: this.#signal }).catch(() => {});
    this.#signal?.throwIfAborted();
  }
}
