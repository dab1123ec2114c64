import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Shorter waits are saved up: a timer is not that exact. */
const LEAST_WAIT = 10;

/** Spreads work in the background evenly over time, and lets other work go between. */
export class Pace {
  readonly #bytesPerSecond: number;
  readonly #signal: AbortSignal | undefined;
  #due = 0;

  constructor(bytesPerSecond: number, signal: AbortSignal | undefined) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#signal = signal;
  }

  /** Resolves when so many bytes have had their time. Throws the signal's reason once it aborts. */
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
