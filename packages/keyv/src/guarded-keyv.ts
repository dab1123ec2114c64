import { UnreachableError } from '@bucketware/core/contracts';
import { systemCodeOf } from './database-codes.js';
import { adapterOf, type FullKeyv } from './keyv-like.js';

interface ErrorSource {
  on?(event: 'error', listener: (error: unknown) => void): unknown;
  off?(event: 'error', listener: (error: unknown) => void): unknown;
  throwOnErrors?: boolean;
}

/**
 * Wraps a Keyv so that every failure rejects. By itself, Keyv returns `undefined` or `false` when a
 * store is down, some adapters return `true` for a write that the server refused, and after a lost
 * connection a call may wait forever.
 */
export class GuardedKeyv {
  readonly keyv: FullKeyv;
  readonly adapter: object;
  readonly #timeout: number;
  readonly #pending = new Set<Promise<unknown>>();
  #errors = 0;
  #lastError: unknown;

  constructor(keyv: FullKeyv, timeout: number) {
    this.keyv = keyv;
    this.adapter = adapterOf(keyv);
    this.#timeout = timeout;
    keyv.throwOnErrors = true;
    const source = this.adapter as ErrorSource;
    if ('throwOnErrors' in source) source.throwOnErrors = true;
    // Without a listener, Keyv 6 would throw in the code that noticed a lost connection. With one,
    // it behaves as if the key were missing, so errors are counted.
    keyv.on('error', this.#note);
    // Keyv also emits the errors of its adapter, unless this option turns that off.
    if (keyv.opts?.emitErrors === false) source.on?.('error', this.#note);
  }

  /** Resolves to `undefined` only when the key is absent and nothing failed. */
  async get(key: string, from: Pick<FullKeyv, 'get'> = this.keyv): Promise<unknown> {
    const errors = this.#errors;
    const value = await this.run(`read ${key}`, () => from.get(key));
    if (value === undefined || value === null) {
      this.#checkErrors(errors, `read ${key}`);
      return undefined;
    }
    return value;
  }

  async set(key: string, value: string): Promise<void> {
    const errors = this.#errors;
    const result = await this.run(`write ${key}`, () => this.keyv.set(key, value));
    this.#checkErrors(errors, `write ${key}`);
    if (result !== true) {
      throw new Error(`Keyv could not write ${key}: set returned ${String(result)}.`);
    }
  }

  async delete(key: string): Promise<void> {
    const errors = this.#errors;
    const result = await this.run(`delete ${key}`, () => this.keyv.delete(key));
    // `false` may mean that the key was absent, or that the store failed.
    if (result !== true) this.#checkErrors(errors, `delete ${key}`);
  }

  /**
   * Makes a call with a time limit. After the limit it rejects, but `settled` still waits for it.
   */
  async run<T>(what: string, call: () => Promise<T>): Promise<T> {
    const errors = this.#errors;
    const running = Promise.resolve().then(call);
    this.#pending.add(running);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        // Some clients emit an error when they cannot connect, and keep trying.
        const cause = this.#errors > errors ? this.#lastError : undefined;
        reject(new UnreachableError(`Keyv did not ${what} within ${this.#timeout} ms.`, { cause }));
      }, this.#timeout);
    });
    const forget = (): void => {
      this.#pending.delete(running);
    };
    running.then(forget, forget);
    try {
      return await Promise.race([running, late]);
    } catch (error) {
      if (error instanceof UnreachableError) throw error;
      throw failure(what, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Waits for all calls, including those that exceeded the time limit, because any of them may
   * still take effect.
   */
  async settled(): Promise<void> {
    if (this.#pending.size === 0) return;
    const earlier = [...this.#pending];
    await this.run('complete its earlier calls', () => Promise.allSettled(earlier));
  }

  release(): void {
    this.keyv.off?.('error', this.#note);
    (this.adapter as ErrorSource).off?.('error', this.#note);
  }

  readonly #note = (error: unknown): void => {
    this.#errors++;
    this.#lastError = error;
  };

  #checkErrors(before: number, what: string): void {
    if (this.#errors === before) return;
    throw failure(what, this.#lastError);
  }
}

function failure(what: string, cause: unknown): Error {
  const code = systemCodeOf(cause);
  return Object.assign(new Error(`Keyv could not ${what}.`, { cause }), code && { code });
}
