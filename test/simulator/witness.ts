import type { Monitor } from './monitor.js';
import type { KnownUpload } from './planned.js';
import type { Drivers } from './protocol.js';
import type { Random } from './random.js';
import { crashInRecovery } from './recovery.js';
import { type Found, type Remains, reopen } from './verify.js';
import type { Contents } from './world.js';

/** Something that must not happen, and how to see it again. */
export class Violation extends Error {}

export interface Totals {
  /** States after a crash that were opened, swept and compared. */
  states: number;
  /** Of these, states after a crash of the recovery. */
  recoveries: number;
  runs: number;
  steps: number;
  operations: number;
  /** Failures that were injected. */
  faults: number;
}

export const noTotals = (): Totals => ({
  ...{ states: 0, recoveries: 0, runs: 0, steps: 0, operations: 0, faults: 0 },
});

export interface RunOptions {
  readonly drivers?: Drivers;
  /** States that are looked at after each step, at most. */
  readonly variants?: number;
  readonly faults?: boolean;
}

/** What a witness knows of the run. */
export interface Scene {
  readonly totals: Totals;
  readonly drivers: Drivers;
  readonly variants: number;
  readonly random: Random;
  readonly contents: Contents;
  readonly uploads: readonly KnownUpload[];
  now(): number;
}

/** Looks at what crashes leave, and throws when it is not what may have happened. */
export class Witness {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Looks at several of the states that a crash at this instant may leave. */
  async crash(remains: Remains, monitor: Monitor): Promise<void> {
    const seen = new Set<string>();
    const wanted = remains.disk.undecided === 0 ? 1 : this.#scene.variants;
    for (let count = 0; count < wanted; count++) {
      const { disk, choices } = remains.disk.cut(this.#scene.random, [0, 1, 0.5][count] ?? 0.5);
      if (seen.has(choices)) continue;
      seen.add(choices);
      await this.look({ disk, records: remains.records }, monitor);
    }
    if (this.#scene.random.chance(0.1)) await this.#crashAgain(remains, monitor);
  }

  /** The recovery crashes as well, and that of the recovery. */
  async #crashAgain({ disk, records }: Remains, monitor: Monitor): Promise<void> {
    let left: Remains = { disk: disk.cut(this.#scene.random, 0.5).disk, records };
    for (let depth = 1 + this.#scene.random.below(2); depth > 0; depth--) {
      left = await crashInRecovery(
        left,
        this.#scene.drivers,
        this.#scene.now(),
        this.#scene.random,
      );
    }
    await this.look(left, monitor);
    this.#scene.totals.recoveries++;
  }

  async look(remains: Remains, monitor: Monitor): Promise<Found> {
    const names = new Map(this.#scene.uploads.map(({ id, name }) => [id, name]));
    const found = await reopen(
      remains,
      this.#scene.drivers,
      this.#scene.now(),
      this.#scene.contents,
      names,
    );
    this.#scene.totals.states++;
    const possible = monitor.afterCrash();
    if (found.faults.length > 0) throw new Error(found.faults.join('; '));
    if (!possible.has(found.world)) {
      const others = [...possible.keys()].slice(0, 5).join('\n    ');
      throw new Error(
        `After a crash there was\n    ${found.world}\n  and not one of\n    ${others}`,
      );
    }
    return found;
  }
}
