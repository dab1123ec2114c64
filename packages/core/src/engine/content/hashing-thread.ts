import { Worker } from 'node:worker_threads';
import type { Wanted } from '../hashing.js';
import { type HashAnswer, type HashRequest, SLOT_BYTES } from './hash-messages.js';
import { type BodyThread, ThreadBody } from './thread-body.js';

/** How much memory all bodies of a thread share. */
const SLOTS = 8;

interface Waiting {
  resolve(slot: number): void;
  reject(error: Error): void;
}

/** A thread, seen from the main thread. */
export class HashThread implements BodyThread {
  /** Resolves when the thread runs; to false when it could not start. */
  readonly ready: Promise<boolean>;
  isReady = false;
  failure: Error | undefined;
  readonly #worker: Worker;
  readonly #slots: readonly Buffer[];
  readonly #free: number[];
  readonly #waiting: Waiting[] = [];
  readonly #bodies = new Map<number, ThreadBody>();
  #lastId = 0;
  #isClosing = false;

  constructor(onEnd: () => void) {
    const memory = Array.from({ length: SLOTS }, () => new SharedArrayBuffer(SLOT_BYTES));
    this.#slots = memory.map((shared) => Buffer.from(shared));
    this.#free = [...memory.keys()];
    this.#worker = new Worker(new URL('./hash-thread.js', import.meta.url), { workerData: memory });
    this.ready = new Promise((resolve) => {
      const end = (cause?: unknown) => {
        resolve(false);
        this.#fail(new Error('The thread that hashes bodies ended.', { cause }));
        onEnd();
      };
      this.#worker.on('message', (answer: HashAnswer) => {
        if (answer.kind !== 'ready') return this.#take(answer);
        this.isReady = true;
        this.#idle();
        return resolve(true);
      });
      this.#worker.on('error', end);
      this.#worker.on('exit', () => end());
    });
  }

  /** How many bodies are being hashed. */
  get bodies(): number {
    return this.#bodies.size;
  }

  begin(wanted: Wanted): ThreadBody {
    if (this.#bodies.size === 0) this.#worker.ref();
    const id = ++this.#lastId;
    const body = new ThreadBody(this, id);
    this.#bodies.set(id, body);
    this.send({ kind: 'begin', id, wanted });
    return body;
  }

  over(id: number): void {
    this.#bodies.delete(id);
    if (this.#bodies.size === 0) this.#idle();
  }

  send(request: HashRequest): void {
    this.#worker.postMessage(request);
  }

  memory(slot: number): Buffer {
    return this.#slots[slot] as Buffer;
  }

  takeSlot(): number | undefined {
    return this.#free.pop();
  }

  nextSlot(): Promise<number> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  giveSlot(slot: number): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(slot);
    else next.resolve(slot);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#worker.terminate();
  }

  /** An idle thread does not keep the process running, unless somebody waits for its end. */
  #idle(): void {
    if (!this.#isClosing) this.#worker.unref();
  }

  #take(answer: Exclude<HashAnswer, { kind: 'ready' }>): void {
    const body = this.#bodies.get(answer.id);
    if (answer.kind === 'hashed') {
      this.giveSlot(answer.slot);
      body?.hashed();
    } else {
      body?.ended(answer.hashed);
    }
  }

  #fail(failure: Error): void {
    this.failure ??= failure;
    for (const { reject } of this.#waiting.splice(0)) reject(this.failure);
    for (const body of [...this.#bodies.values()]) body.failed(this.failure);
  }
}
