import type { StorageError } from '../errors.js';
import { afterPoll } from '../http/after-poll.js';
import { tooSlow } from '../http/deadline.js';
import { HttpError } from '../http/http-error.js';
import type { BodyTimes } from '../http/message.js';

/** The longest delay of a Node timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** How often data that arrived during a pause of the process is waited for. */
const MOST_LATE_TURNS = 100;

/**
 * Measures how long the storage waits for data from a client. Only waiting counts: while the
 * storage processes data or does not want more, the client cannot send. One timer serves a whole
 * body.
 */
export class StallClock {
  readonly #ms: number;
  readonly #timer: NodeJS.Timeout;
  readonly #deadline: NodeJS.Timeout | undefined;
  #giveUp: ((error: StorageError) => void) | undefined;
  #arrivals = 0;
  #late: StorageError | undefined;

  /** `total`: milliseconds for the whole body, however steadily it arrives. */
  constructor(ms: number, total?: number) {
    this.#ms = ms;
    this.#timer = setTimeout(() => void this.#ring(), ms).unref();
    if (total !== undefined)
      this.#deadline = setTimeout(() => void this.#end(total), total).unref();
  }

  /**
   * Waits for data; throws RequestTimeout (408) when it takes too long. Does not call `ask` when
   * the time is already over: its rejection would not be handled, which would end the process.
   */
  wait<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#late !== undefined) return Promise.reject(this.#late);
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      this.#timer.refresh();
      ask().then((value) => {
        this.#giveUp = undefined;
        this.#arrivals++;
        resolve(value);
      }, reject);
    });
  }

  /** Call it when data has arrived. */
  progress(): void {
    this.#arrivals++;
    this.#timer.refresh();
  }

  stop(): void {
    this.#giveUp = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#deadline);
  }

  /**
   * Whether data has arrived that was not read yet: after a pause of the process, timers fire before
   * Node reads from the network. A small chunk is passed on one turn of the event loop later.
   */
  async #hasArrived(): Promise<boolean> {
    const before = this.#arrivals;
    await afterPoll();
    await afterPoll();
    return this.#arrivals !== before;
  }

  async #end(total: number): Promise<void> {
    for (let turn = 0; turn < MOST_LATE_TURNS && (await this.#hasArrived()); turn++);
    this.#late = tooSlow(total);
    this.#giveUp?.(this.#late);
  }

  async #ring(): Promise<void> {
    if (!(await this.#hasArrived())) this.#giveUp?.(stalled(this.#ms));
  }
}

/**
 * Yields the same chunks, as long as they keep arriving and the last arrives within `total`
 * milliseconds.
 */
export function withinTimes(
  source: AsyncIterable<Uint8Array>,
  { stall, total }: BodyTimes,
): AsyncIterable<Uint8Array> {
  if (stall === undefined && total === undefined) return source;
  return watched(source, new StallClock(stall ?? LONGEST_MS, total));
}

async function* watched(
  source: AsyncIterable<Uint8Array>,
  clock: StallClock,
): AsyncGenerator<Uint8Array> {
  const bytes = source[Symbol.asyncIterator]();
  let waiting = false;
  const ask = () => {
    waiting = true;
    return bytes.next();
  };
  try {
    for (;;) {
      const { done, value } = await clock.wait(ask);
      waiting = false;
      if (done) return;
      yield value;
    }
  } finally {
    clock.stop();
    // A source that is still awaited cannot be closed: it ends with its connection.
    if (!waiting) await bytes.return?.();
  }
}

const stalled = (ms: number): StorageError =>
  new HttpError(
    'RequestTimeout',
    `No byte of the body arrived for ${ms} milliseconds. Send the request again.`,
    { status: 408, headers: { connection: 'close' } },
  );
