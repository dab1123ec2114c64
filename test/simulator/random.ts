import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** Pseudorandom numbers that are the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer from 0 up to, but not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

/**
 * Makes the ids and pauses of the storage in this thread depend on the seed as well. Otherwise, two
 * runs with the same seed would differ.
 */
export function seedTheProcess(seed: number): void {
  const random = new Random(seed ^ 0x5bd1e995);
  // Removing a file that no longer exists is a system error, and happens often. Stacks cost time.
  Error.stackTraceLimit = 0;
  const bytes = (size: number): Buffer => {
    const made = Buffer.allocUnsafe(size);
    for (let at = 0; at < size; at += 4) {
      const word = random.below(0x1_0000_0000);
      for (let part = 0; part < 4 && at + part < size; part++)
        made[at + part] = word >>> (part * 8);
    }
    return made;
  };
  crypto.randomBytes = bytes as typeof crypto.randomBytes;
  crypto.randomUUID = () => {
    // Few different prefixes, so that blobs share directories as in a storage with many blobs.
    const first = random.below(8).toString(16).padStart(2, '0');
    const [hex, ...cuts] = [first + bytes(15).toString('hex'), 0, 8, 12, 16, 20] as const;
    const parts = cuts.map((cut, at) => hex.slice(cut, cuts[at + 1]));
    return parts.join('-') as ReturnType<typeof crypto.randomUUID>;
  };
  timers.setTimeout = (() =>
    new Promise((resolve) => setImmediate(resolve))) as unknown as typeof timers.setTimeout;
  // Long work yields after a few milliseconds. On a busy machine, that would be at another step.
  performance.now = () => 0;
  syncBuiltinESMExports();
  wasm.instantiate = instantiateAtOnce;
}

/** The part of WebAssembly that the hashing of an append uses. */
interface Wasm {
  Module: new () => object;
  Instance: new (module: object, imports?: object) => object;
  instantiate(source: object, imports?: object): Promise<object>;
}
const wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
const { instantiate } = wasm;

/** An asynchronous instance would be ready at a different step in each run. */
const instantiateAtOnce: Wasm['instantiate'] = async (source, imports) =>
  source instanceof wasm.Module
    ? new wasm.Instance(source, imports)
    : instantiate.call(wasm, source, imports);
