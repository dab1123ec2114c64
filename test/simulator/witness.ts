import { numberOfRecords } from './fingerprint.js';
import type { Monitor } from './monitor.js';
import type { KnownUpload } from './planned.js';
import type { Drivers } from './protocol.js';
import type { Random } from './random.js';
import { Readings } from './readings.js';
import { crashInRecovery } from './recovery.js';
import { type CrashState, type Found, reopen } from './verify.js';
import type { Contents, World } from './world.js';

/** Something that must not happen, with instructions to reproduce it. */
export class Violation extends Error {}

export interface Totals {
  /** How many different states after a crash were opened, swept and compared. */
  states: number;
  /** How many of these states were left by a crash of the recovery. */
  recoveries: number;
  /** How often a known state was compared with another set of possible outcomes. */
  comparedAgain: number;
  /** How many of the states had an object with enough segments for a manifest. */
  manifests: number;
  runs: number;
  steps: number;
  operations: number;
  /** How many failures were injected. */
  faults: number;
  /** During how many operations another bucket got the name. */
  otherBuckets: number;
  /** During how many operations of the grantee the list of the bucket changed. */
  otherLists: number;
}

export const noTotals = (): Totals => ({
  ...{ states: 0, recoveries: 0, comparedAgain: 0, manifests: 0 },
  ...{ runs: 0, steps: 0, operations: 0, faults: 0 },
  ...{ otherBuckets: 0, otherLists: 0 },
});

export interface RunOptions {
  readonly drivers?: Drivers;
  /** How many states are examined after each step at most. Below 1: the share of steps examined. */
  readonly variants?: number;
  readonly faults?: boolean;
  /** How many lives without failing calls end with a killed process instead of a power cut. */
  readonly kills?: number;
}

/** What a witness needs to know about the run. */
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
  /** The sets of outcomes that it was compared with. */
  readonly outcomes: Set<number>;
}

/** After how many known states in a row no more are tried. */
const MAX_KNOWN = 12;

/** Examines what crashes leave, and throws if it is not possible. */
export class Witness {
  readonly #scene: Scene;
  readonly #seen = new Map<string, Seen>();
  readonly #readings: Readings;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#readings = new Readings(scene.contents);
  }

  /**
   * Examines the states that a crash at this moment may leave: first without and with everything
   * that is not synced, then random ones until no new ones appear.
   */
  async crash({ disk, records }: CrashState, monitor: Monitor): Promise<void> {
    const { random, variants, totals } = this.#scene;
    if (variants < 1 && !random.chance(variants)) return;
    const wanted = disk.undecided === 0 ? 1 : variants;
    let known = 0;
    for (let count = 0; count < wanted && known < MAX_KNOWN; count++) {
      const { states } = totals;
      await this.look({ disk: disk.cut(random, [0, 1][count] ?? 0.5), records }, monitor);
      known = totals.states > states || count < 2 ? 0 : known + 1;
    }
    if (random.chance(0.1)) await this.#crashAgain({ disk, records }, monitor);
  }

  /** The recovery crashes as well, and sometimes the recovery after that. */
  async #crashAgain({ disk, records }: CrashState, monitor: Monitor): Promise<void> {
    const { random, drivers, now, totals } = this.#scene;
    let left: CrashState = { disk: disk.cut(random, 0.5), records };
    for (let depth = random.below(2); depth >= 0; depth--) {
      const isKilled = depth > 0 && random.chance(0.5);
      left = await crashInRecovery(left, drivers, now(), random, isKilled);
    }
    const before = totals.states;
    await this.look(left, monitor);
    totals.recoveries += totals.states - before;
  }

  /** What a new process finds. A known state is not opened again, only compared. */
  async look(remains: CrashState, monitor: Monitor): Promise<Found> {
    const { totals, uploads } = this.#scene;
    const { disk, records } = remains;
    const state = `${numberOfRecords(records)} ${uploads.length} ${disk.fingerprint()}`;
    let seen = this.#seen.get(state);
    if (seen === undefined) {
      seen = { found: await this.#open(remains), outcomes: new Set() };
      this.#seen.set(state, seen);
      totals.states++;
      if (records.entries.some(({ key }) => key.startsWith('m/'))) totals.manifests++;
    } else if (!seen.outcomes.has(monitor.outcomes)) totals.comparedAgain++;
    if (!seen.outcomes.has(monitor.outcomes)) checkWorld(seen.found, monitor.afterCrash());
    seen.outcomes.add(monitor.outcomes);
    return seen.found;
  }

  #open(remains: CrashState): Promise<Found> {
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

/** Throws if something is wrong with the state, or if it is not one of the possible worlds. */
function checkWorld({ faults, world }: Found, possible: ReadonlyMap<string, World>): void {
  if (faults.length > 0) throw new Error(faults.join('; '));
  if (possible.has(world)) return;
  const others = [...possible.keys()].slice(0, 5).join('\n    ');
  throw new Error(`After a crash there was\n    ${world}\n  and not one of\n    ${others}`);
}
