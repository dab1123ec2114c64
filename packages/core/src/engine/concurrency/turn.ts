import type { LimitFunction } from 'p-limit';

/** A task's turn among the tasks of its caller. */
export class Turn {
  readonly #limit: LimitFunction;
  readonly #ended: () => void;
  /** Ends the turn that has begun, or that is awaited; `undefined` if there is none. */
  #began: Promise<() => void> | undefined;
  /** How many parts of the task are waiting for the app. */
  #pauses = 0;
  #isOver = false;

  /** `ended` is called once, when the turn ends. */
  constructor(limit: LimitFunction, ended: () => void) {
    this.#limit = limit;
    this.#ended = ended;
  }

  /** Resolves when the turn has begun. */
  async begin(): Promise<void> {
    this.#began = new Promise((begin) => {
      void this.#limit(() => new Promise<void>((end) => begin(end)));
    });
    await this.#began;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    this.#ended();
  }

  /**
   * Waits for the app, and meanwhile lets other tasks have the turn: the app may be waiting for one
   * of them.
   */
  async pause<T>(wait: () => Promise<T>): Promise<T> {
    if (this.#pauses++ === 0) this.#release();
    try {
      return await wait();
    } finally {
      if (--this.#pauses === 0 && !this.#isOver) await this.begin();
    }
  }

  #release(): void {
    void this.#began?.then((end) => end());
    this.#began = undefined;
  }
}
