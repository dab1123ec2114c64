import type { Gate, Otherwise } from './gate.js';
import type { Random } from './random.js';
import { failure } from './simulated-files.js';

interface Waiting {
  readonly name: string;
  readonly run: () => void;
}

/** How often calls fail, from 0 to 1. */
export interface Faults {
  readonly files: number;
  readonly commits: number;
  readonly shortWrites: number;
}

const NO_FAULTS: Faults = { files: 0, commits: 0, shortWrites: 0 };

const CODES: Readonly<Record<string, readonly string[]>> = {
  open: ['EMFILE', 'ENOSPC', 'EIO'],
  write: ['ENOSPC', 'EIO'],
  truncate: ['EIO'],
  sync: ['EIO', 'ENOSPC'],
  syncDirectory: ['EIO'],
  makeDirectory: ['ENOSPC', 'EIO'],
  link: ['EMLINK', 'ENOSPC', 'EMLINK'],
  remove: ['EIO'],
};

const SYSCALLS: Readonly<Record<string, string>> = { sync: 'fsync', syncDirectory: 'fsync' };

/** Chooses which of the calls that wait comes next, so that a seed decides every race. */
export class Scheduler implements Gate {
  /** Calls that were made. */
  steps = 0;
  /** Changes so far: of the disk, of the records, or of what clients were told. */
  changes = 0;
  lastStep = '';
  /** Failures that were made. */
  failures = 0;
  /** Commits that were done although they failed: their callers cannot know. */
  unknowns = 0;
  faults: Faults = NO_FAULTS;
  readonly #random: Random;
  #begin: (() => void) | undefined;
  readonly #waiting: Waiting[] = [];
  /** Who waits for others to make steps, by the step at which it goes on. */
  readonly #idle: { readonly until: number; readonly wake: () => void }[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  step<T>(name: string, apply: () => T, otherwise: Otherwise<T> = {}): Promise<T> {
    const begin = this.#begin;
    this.#begin = undefined;
    return new Promise<T>((resolve, reject) => {
      const run = () => {
        begin?.();
        try {
          resolve(this.#perform(name, apply, otherwise));
        } catch (error) {
          reject(error);
        }
        if (otherwise.silent !== true) this.changes++;
      };
      this.#waiting.push({ name, run });
    });
  }

  /** Calls `work`, and `begin` when the first step is made that it asks for. */
  first<T>(begin: () => void, work: () => T): T {
    this.#begin = begin;
    const result = work();
    if (this.#begin !== undefined) throw new Error('It asked for no step at once.');
    return result;
  }

  /** Resolves after so many steps of others, or when nobody else has one to make. */
  idle(steps: number): Promise<void> {
    return new Promise((wake) => void this.#idle.push({ until: this.steps + steps, wake }));
  }

  /** Waits until everybody waits for a step. False: nobody does. */
  async settle(): Promise<boolean> {
    for (let turn = 0; turn < 20; turn++) {
      await new Promise(setImmediate);
      if (this.#waiting.length > 0 || this.#idle.length > 0) return true;
    }
    return false;
  }

  advance(): void {
    this.steps++;
    const due = this.#idle.findIndex(({ until }) => until < this.steps);
    if (due >= 0 || this.#waiting.length === 0) {
      this.lastStep = 'idle';
      this.#idle.splice(Math.max(due, 0), 1)[0]?.wake();
      return;
    }
    const at = this.#random.below(this.#waiting.length);
    const [next] = this.#waiting.splice(at, 1);
    this.lastStep = next?.name ?? '';
    next?.run();
  }

  #perform<T>(name: string, apply: () => T, { fail, short }: Otherwise<T>): T {
    const random = this.#random;
    const { files, commits, shortWrites } = this.faults;
    if (name === 'commit' && commits > 0 && random.chance(commits)) {
      this.failures++;
      if (random.chance(0.5)) {
        apply();
        this.unknowns++;
      }
      throw failure('EIO', 'commit');
    }
    const codes = CODES[name];
    if (codes !== undefined && files > 0 && random.chance(files)) {
      this.failures++;
      fail?.();
      if (random.chance(0.5)) short?.(random.next());
      throw failure(random.pick(codes), SYSCALLS[name] ?? name);
    }
    if (short && shortWrites > 0 && random.chance(shortWrites)) return short(random.next());
    return apply();
  }
}
