import { numberOfRecords } from './fingerprint.js';
import type { Monitor } from './monitor.js';
import type { KnownUpload } from './planned.js';
import type { Drivers } from './protocol.js';
import type { Random } from './random.js';
import { Readings } from './readings.js';
import { crashInRecovery } from './recovery.js';
import { type Found, type Remains, reopen } from './verify.js';
import type { Contents, World } from './world.js';

/** Something that must not happen, and how to see it again. */
export class Violation extends Error {}

export interface Totals {
  /** States after a crash that were opened, swept and compared, in each run no two of them equal. */
  states: number;
  /** Of these, states after a crash of the recovery. */
  recoveries: number;
  /** Besides: how often a known state was compared with other outcomes than before. */
  judgedAnew: number;
  /** Of the states, those with an object of so many segments that it has a manifest. */
  manifests: number;
  runs: number;
  steps: number;
  operations: number;
  /** Failures that were injected. */
  faults: number;
  /** Operations that found another bucket of the name, by the time they ended, than they began with. */
  otherBuckets: number;
  /** Of the grantee: during which the list of the bucket changed. */
  otherLists: number;
}

export const noTotals = (): Totals => ({
  ...{ states: 0, recoveries: 0, judgedAnew: 0, manifests: 0 },
  ...{ runs: 0, steps: 0, operations: 0, faults: 0 },
  ...{ otherBuckets: 0, otherLists: 0 },
});

export interface RunOptions {
  readonly drivers?: Drivers;
  /** States that are looked at after each step, at most. Below 1: this share of the steps. */
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

interface Seen {
  readonly found: Found;
  /** What it was compared with. */
  readonly outcomes: Set<number>;
}

/** So many known states one after another, and no more are tried. */
const PATIENCE = 12;

/** Looks at what crashes leave, and throws when it is not what may have happened. */
export class Witness {
  readonly #scene: Scene;
  readonly #seen = new Map<string, Seen>();
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
    if (variants < 1 && !random.chance(variants)) return;
    const wanted = disk.undecided === 0 ? 1 : variants;
    let known = 0;
    for (let count = 0; count < wanted && known < PATIENCE; count++) {
      const { states } = totals;
      await this.look({ disk: disk.cut(random, [0, 1][count] ?? 0.5), records }, monitor);
      known = totals.states > states || count < 2 ? 0 : known + 1;
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

  /** What a new process finds there. A state that is known is not opened again, only judged. */
  async look(remains: Remains, monitor: Monitor): Promise<Found> {
    const { totals, uploads } = this.#scene;
    const { disk, records } = remains;
    const state = `${numberOfRecords(records)} ${uploads.length} ${disk.fingerprint()}`;
    let seen = this.#seen.get(state);
    if (seen === undefined) {
      seen = { found: await this.#open(remains), outcomes: new Set() };
      this.#seen.set(state, seen);
      totals.states++;
      if (records.entries.some(({ key }) => key.startsWith('m/'))) totals.manifests++;
    } else if (!seen.outcomes.has(monitor.outcomes)) totals.judgedAnew++;
    if (!seen.outcomes.has(monitor.outcomes)) judge(seen.found, monitor.afterCrash());
    seen.outcomes.add(monitor.outcomes);
    return seen.found;
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

/** Throws when something is wrong with it, or when it is none of the worlds that may be. */
function judge({ faults, world }: Found, possible: ReadonlyMap<string, World>): void {
  if (faults.length > 0) throw new Error(faults.join('; '));
  if (possible.has(world)) return;
  const others = [...possible.keys()].slice(0, 5).join('\n    ');
  throw new Error(`After a crash there was\n    ${world}\n  and not one of\n    ${others}`);
}
