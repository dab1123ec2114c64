import type { BodyHash, Hashed } from '../hashing.js';
import { type HashRequest, SLOT_BYTES } from './hash-messages.js';

/** The thread of a body, and the memory that all its bodies share. */
export interface BodyThread {
  /** Why the thread has ended. */
  readonly failure: Error | undefined;
  memory(slot: number): Uint8Array;
  /** A free slot; `undefined` if all are in use. */
  takeSlot(): number | undefined;
  /** The next slot that is free. */
  nextSlot(): Promise<number>;
  giveSlot(slot: number): void;
  send(request: HashRequest): void;
  /** Ends a body: it will send nothing more. */
  over(id: number): void;
}

/**
 * The digests of one body, computed in a thread. The data is copied to memory shared with the
 * thread (0.1 s for 1 GiB), because chunks belong to their sender. While the thread is busy with
 * this body, chunks are collected; a slow client holds none of the thread's memory.
 */
export class ThreadBody implements BodyHash {
  readonly #thread: BodyThread;
  readonly #id: number;
  readonly #hashed: Promise<Hashed>;
  #settle!: { resolve(hashed: Hashed): void; reject(error: Error): void };
  #filling: number | undefined;
  #filled = 0;
  #sent = 0;
  #isOver = false;

  constructor(thread: BodyThread, id: number) {
    this.#thread = thread;
    this.#id = id;
    this.#hashed = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#hashed.catch(() => {}); // It may fail before anyone awaits it.
  }

  update(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#thread.failure !== undefined) throw this.#thread.failure;
    for (let at = 0; at < bytes.length; ) {
      this.#filling ??= this.#thread.takeSlot();
      if (this.#filling === undefined) return this.#updateLater(bytes.subarray(at));
      at += this.#fill(this.#filling, bytes.subarray(at));
    }
    return undefined;
  }

  done(): Promise<Hashed> {
    this.#flush();
    if (!this.#isOver) this.#thread.send({ kind: 'end', id: this.#id });
    return this.#hashed;
  }

  drop(): void {
    if (this.#isOver) return;
    if (this.#filling !== undefined) this.#thread.giveSlot(this.#filling);
    this.#filling = undefined;
    this.#thread.send({ kind: 'drop', id: this.#id });
    this.#end();
  }

  /** The thread has hashed a slot. */
  hashed(): void {
    this.#sent--;
    if (this.#sent === 0) this.#flush();
  }

  ended(hashed: Hashed): void {
    this.#end();
    this.#settle.resolve(hashed);
  }

  failed(error: Error): void {
    this.#end();
    this.#settle.reject(error);
  }

  async #updateLater(bytes: Uint8Array): Promise<void> {
    const slot = await this.#thread.nextSlot();
    // The digests may no longer be wanted.
    if (this.#isOver) this.#thread.giveSlot(slot);
    else this.#filling = slot;
    if (!this.#isOver) await this.update(bytes);
  }

  #fill(slot: number, bytes: Uint8Array): number {
    const length = Math.min(SLOT_BYTES - this.#filled, bytes.length);
    this.#thread.memory(slot).set(bytes.subarray(0, length), this.#filled);
    this.#filled += length;
    if (this.#filled === SLOT_BYTES || this.#sent === 0) this.#flush();
    return length;
  }

  #flush(): void {
    const slot = this.#filling;
    if (slot === undefined || this.#isOver) return;
    this.#thread.send({ kind: 'update', id: this.#id, slot, length: this.#filled });
    this.#sent++;
    this.#filling = undefined;
    this.#filled = 0;
  }

  #end(): void {
    this.#isOver = true;
    this.#thread.over(this.#id);
  }
}
