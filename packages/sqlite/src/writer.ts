import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { DatabaseOptions } from './database.js';
import { errorOf } from './failures.js';
import type { Answer, Request } from './messages.js';

interface Waiting {
  readonly request: Request;
  resolve(version: string | undefined): void;
  reject(error: Error): void;
}

/** The maximum number of requests in one transaction. */
const MAX_REQUESTS = 1000;

/**
 * Commits in a separate thread, because SQLite blocks its thread during each flush. Waiting
 * requests share the next transaction.
 */
export class Writer {
  readonly #thread: Worker;
  readonly #waiting: Waiting[] = [];
  #running: Waiting[] = [];
  #failure: Error | undefined;

  constructor(options: DatabaseOptions) {
    this.#thread = new Worker(new URL('./writer-thread.js', import.meta.url), {
      workerData: options,
    });
    this.#thread.on('message', (answer: Answer) => this.#settle(answer));
    const stop = (cause?: unknown) =>
      this.#stop(new Error('The thread that writes records ended.', { cause }));
    this.#thread.on('error', stop);
    // A thread may also be ended without an error, such as by process.exit in a preloaded module.
    this.#thread.on('exit', () => stop());
    // An idle store must not keep the process running.
    this.#thread.unref();
  }

  run(request: Request): Promise<string | undefined> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      if (this.#running.length === 0) this.#send();
    });
  }

  /** Ends the thread. Call it when no request is running. */
  async close(): Promise<void> {
    if (this.#failure) return;
    const ended = once(this.#thread, 'exit');
    this.#thread.ref();
    this.#thread.postMessage('close');
    await ended;
  }

  #send(): void {
    this.#running = this.#waiting.splice(0, MAX_REQUESTS);
    if (this.#running.length === 0) {
      this.#thread.unref();
      return;
    }
    // A running commit keeps the process running, like any other write.
    this.#thread.ref();
    this.#thread.postMessage(this.#running.map(({ request }) => request));
  }

  #settle(answer: Answer): void {
    for (const [index, { resolve, reject }] of this.#running.entries()) {
      if ('failure' in answer) reject(errorOf(answer.failure));
      else resolve(answer.versions[index]);
    }
    this.#send();
  }

  /** Rejects the running requests. It is unknown whether they were committed. */
  #stop(failure: Error): void {
    this.#failure ??= failure;
    for (const { reject } of [...this.#running, ...this.#waiting.splice(0)]) reject(failure);
    this.#running = [];
  }
}
