import { numberOfRecords } from './fingerprint.js';
import type { Monitor } from './monitor.js';
import type { KnownUpload } from './planned.js';
import type { Drivers } from './protocol.js';
import type { Random } from './random.js';
import { Readings } from './readings.js';
import { crashInRecovery } from './recovery.js';
import { type Found, type Remains, reopen } from './verify.js';
import type { Contents } from './world.js';

/** Something that must not happen, and how to see it again. */
export class Violation extends Error {}

export interface Totals {
  /** States after a crash that were opened, swept and compared, in each run no two of them equal. */
  states: number;
  /** Of these, states after a crash of the recovery. */
  recoveries: number;
  /** States equal to an earlier one, whose findings were compared with what may be found by now. */
  repeats: number;
  /** Of the states, those with an object of so many segments that it has a manifest. */
  manifests: number;
  runs: number;
  steps: number;
  operations: number;
  /** Failures that were injected. */
  faults: number;
}

export const noTotals = (): Totals => ({
  ...{ states: 0, recoveries: 0, repeats: 0, manifests: 0 },
  ...{ runs: 0, steps: 0, operations: 0, faults: 0 },
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

/** So many known states one after another, and no more are tried. */
const PATIENCE = 8;

/** Looks at what crashes leave, and throws when it is not what may have happened. */
export class Witness {
  readonly #scene: Scene;
  readonly #seen = new Map<string, Found>();
  readonly #readings: Readings;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#readings = new Readings(scene.contents);
  }

  /**
   * Looks at the states that a crash at this instant may leave: with nothing and with all of what
   * is not synced, then at others, until no new ones turn up.
   */
  async crash({ disk, records }: Remains, monitor: Monitor): Promise<void> {
    const { random, variants, totals } = this.#scene;
    const wanted = disk.undecided === 0 ? 1 : variants;
    let known = 0;
    for (let count = 0; count < wanted && known < PATIENCE; count++) {
      const { repeats } = totals;
      await this.look({ disk: disk.cut(random, [0, 1][count] ?? 0.5), records }, monitor);
      known = totals.repeats === repeats || count < 2 ? 0 : known + 1;
    }
    if (random.chance(0.1)) await this.#crashAgain({ disk, records }, monitor);
  }

  /** The recovery crashes as well, and that of the recovery. */
  async #crashAgain({ disk, records }: Remains, monitor: Monitor): Promise<void> {
    const { random, drivers, now, totals } = this.#scene;
    let left: Remains = { disk: disk.cut(random, 0.5), records };
    for (let depth = random.below(2); depth >= 0; depth--) {
      const isKilled = depth > 0 && random.chance(0.5);
      left = await crashInRecovery(left, drivers, now(), random, isKilled);
    }
    const before = totals.states;
    await this.look(left, monitor);
    totals.recoveries += totals.states - before;
  }

  /** What a new process finds there. Of an equal state it is known: it is compared once more. */
  async look(remains: Remains, monitor: Monitor): Promise<Found> {
    const { totals, uploads } = this.#scene;
    const { disk, records } = remains;
    const state = `${numberOfRecords(records)} ${uploads.length} ${disk.fingerprint()}`;
    let found = this.#seen.get(state);
    if (found === undefined) {
      found = await this.#open(remains);
      this.#seen.set(state, found);
      totals.states++;
      if (records.entries.some(({ key }) => key.startsWith('m/'))) totals.manifests++;
    } else totals.repeats++;
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

  #open(remains: Remains): Promise<Found> {
    const { drivers, now, contents, uploads, random } = this.#scene;
    return reopen(remains, {
      drivers,
      contents,
      time: now(),
      uploads: new Map(uploads.map(({ id, name }) => [id, name])),
      readings: this.#readings,
      readsAll: random.chance(1 / 16),
    });
  }
}
