import type { FailureModes, Gate } from './gate.js';
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

/** Chooses which waiting call comes next, so that the seed decides every race. */
export class Scheduler implements Gate {
  /** How many calls were made. */
  steps = 0;
  /**
   * How many changes there were so far: of the disk or the records, or a result that a client got.
   */
  changes = 0;
  lastStep = '';
  /** How many failures were injected. */
  failures = 0;
  /** How many failed commits took effect: their callers cannot know. */
  unknowns = 0;
  faults: Faults = NO_FAULTS;
  readonly #random: Random;
  #begin: (() => void) | undefined;
  readonly #waiting: Waiting[] = [];
  /** Tasks that wait for steps of others, with the step at which they continue. */
  readonly #idle: { readonly until: number; readonly wake: () => void }[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  step<T>(name: string, apply: () => T, otherwise: FailureModes<T> = {}): Promise<T> {
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

  /** Calls `work`, and `begin` when `work` makes its first step. */
  first<T>(begin: () => void, work: () => T): T {
    this.#begin = begin;
    const result = work();
    if (this.#begin !== undefined) throw new Error('The operation made no step at once.');
    return result;
  }

  /** Resolves after this many steps of others, or when no other task can make a step. */
  idle(steps: number): Promise<void> {
    return new Promise((wake) => void this.#idle.push({ until: this.steps + steps, wake }));
  }

  /** Waits until every task waits for a step. Resolves to false if no task is left. */
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

  #perform<T>(name: string, apply: () => T, { fail, short }: FailureModes<T>): T {
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
