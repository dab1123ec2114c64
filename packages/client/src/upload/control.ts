import { explained, hasCode, StorageError } from '../errors.js';

export type UploadState = 'running' | 'paused' | 'done' | 'failed' | 'aborted';

const PAUSED = new DOMException('paused', 'AbortError');

/**
 * Failures after which an upload can continue: after a login, with more space, or when the server
 * is back.
 */
const isRecoverable = (error: unknown): error is StorageError =>
  error instanceof StorageError &&
  !hasCode(error, 'UnexpectedResponse', 'SourceChanged', 'UploadInUse', 'ChecksumMismatch') &&
  ([0, 401, 403, 408, 429].includes(error.status) || error.status >= 500);

const KEPT = 'To continue, start the same upload again.';

/** Lets the requests of an upload run, pause, continue and end. */
export class Control {
  state: UploadState = 'running';
  /** A signal that outlives many uploads must not retain them all. */
  readonly release: () => void;
  readonly #end = new AbortController();
  #current = new AbortController();
  /** Resolves when the pause is over. */
  #paused: Promise<void> | undefined;
  #goOn: () => void = () => {};
  readonly #onInterruption: ((error: StorageError) => void) | undefined;

  constructor(
    signal: AbortSignal | undefined,
    onInterruption: ((error: StorageError) => void) | undefined,
  ) {
    this.#onInterruption = onInterruption;
    const end = () => this.end(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end);
    this.release = () => signal?.removeEventListener('abort', end);
  }

  pause(): void {
    if (this.state !== 'running') return;
    this.state = 'paused';
    this.#paused = new Promise((resolve) => {
      this.#goOn = resolve;
    });
    this.#current.abort(PAUSED);
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    this.#current = new AbortController();
    this.#goOn();
    this.#paused = undefined;
  }

  /** Ends all requests with this reason. */
  end(reason: unknown, state: 'aborted' | 'failed' = 'aborted'): void {
    if (this.state !== 'running' && this.state !== 'paused') return;
    this.state = state;
    this.#end.abort(reason);
    this.#current.abort(reason);
    this.#goOn();
  }

  /** Runs work that may be repeated after a pause. */
  async run<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    for (;;) {
      await this.#paused;
      this.#end.signal.throwIfAborted();
      const { signal } = this.#current;
      try {
        return await work(signal);
      } catch (error) {
        this.#end.signal.throwIfAborted();
        if (signal.aborted && signal.reason === PAUSED) continue;
        if (!isRecoverable(error)) throw error;
        if (this.#onInterruption === undefined) throw explained(error, KEPT);
        this.pause();
        this.#onInterruption(error);
      }
    }
  }
}
