import { availableParallelism, loadavg } from 'node:os';
import type { BodyHash, BodyHasher, Wanted } from '../hashing.js';
import { HashThread } from './hashing-thread.js';

/**
 * Bodies of at least this announced length are hashed in a thread. For smaller ones, that costs
 * more than it saves.
 */
const LARGE_BYTES = 1024 * 1024;

/**
 * A body of this length waits for a thread to start: about 40 ms of the second that the body takes.
 */
const WORTH_WAITING_BYTES = 32 * 1024 * 1024;

/** For a body of unknown length: a first chunk of this size suggests that the body is large. */
const LARGE_CHUNK_BYTES = 32 * 1024;

/** More threads would outrun any network and disk. */
const MOST = 4;

/**
 * Threads that hash the data of large bodies, so that an upload receives, hashes and writes in
 * parallel. With two free processors, uploading 256 MiB is 1.13 times as fast, for 1.17 times the
 * processor time. Threads start when first needed. Where none can run, bodies are hashed on the
 * main thread.
 */
export class HashThreads implements BodyHasher {
  readonly #most: number;
  readonly #looksAtLoad: boolean;
  readonly #threads: HashThread[] = [];
  #isOff: boolean;

  /**
   * `most`: the maximum number of threads. Default: one for each processor but the first, up to
   * four; none while the system is busy. 0 disables threads.
   */
  constructor(most?: number) {
    this.#most = most ?? Math.min(availableParallelism() - 1, MOST);
    this.#looksAtLoad = most === undefined;
    this.#isOff = this.#most === 0;
  }

  isWorthwhile(length: number | undefined, first: Uint8Array): boolean {
    if (this.#isOff) return false;
    const isLarge =
      length === undefined ? first.length >= LARGE_CHUNK_BYTES : length >= LARGE_BYTES;
    return isLarge && !(this.#looksAtLoad && isBusy());
  }

  async begin(wanted: Wanted, length: number | undefined): Promise<BodyHash | undefined> {
    const thread = this.#thread();
    if (thread === undefined) return undefined;
    if (!thread.isReady && (length ?? 0) < WORTH_WAITING_BYTES) return undefined;
    if (!(await thread.ready) || thread.failure !== undefined) return undefined;
    return thread.begin(wanted);
  }

  /** Fails the bodies that are still being hashed. */
  async close(): Promise<void> {
    this.#isOff = true;
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  /** The least busy thread. */
  #thread(): HashThread | undefined {
    const [least] = this.#threads.toSorted((one, other) => one.bodies - other.bodies);
    if (least !== undefined && (least.bodies === 0 || this.#threads.length >= this.#most)) {
      return least;
    }
    try {
      const started = new HashThread(() => {
        // A thread that ended is not replaced: the cause would end the next one as well.
        this.#isOff = true;
      });
      this.#threads.push(started);
      return started;
    } catch {
      this.#isOff = true; // The host does not allow threads.
      return undefined;
    }
  }
}

/**
 * Whether probably no processor is free. A thread would then wait for its turn, and the main thread
 * for the thread. Uploads alone make a load of about three.
 */
const isBusy = (): boolean => (loadavg()[0] as number) > 2 * availableParallelism();
