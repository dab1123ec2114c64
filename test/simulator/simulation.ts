import { Disk } from './disk.js';
import { Monitor } from './monitor.js';
import { moves } from './moves.js';
import { joiningObjectStore, objectStore } from './object-store.js';
import { plan } from './operations.js';
import { perform, type Stage } from './performing.js';
import { answered, BUCKETS, GRANTEE, type KnownUpload, type Shared } from './planned.js';
import { type Drivers, ROOT, rightDrivers } from './protocol.js';
import { Random, seedTheProcess } from './random.js';
import { Scheduler } from './scheduler.js';
import { NO_RECORDS } from './simulated-records.js';
import { named } from './unknown-uploads.js';
import { type CrashState, Machine, READ_GRACE } from './verify.js';
import { warmUp } from './warm-up.js';
import { type RunOptions, type Totals, Violation, Witness } from './witness.js';
import { Contents, type World } from './world.js';

const LIVES = 3;
const CLIENTS = 3;
const OPERATIONS = 12;
const SOME_FAULTS = { files: 0.02, commits: 0.01, shortWrites: 0.05 };
const MANY_STEPS = 20_000;

/** One run in four uses an object store, the others a file system. */
const driversFor = (seed: number): Drivers =>
  seed % 4 > 0 ? rightDrivers : seed % 8 > 0 ? objectStore : joiningObjectStore;

/** Runs one storage through several crashes. Throws a {@link Violation}. */
export async function simulate(
  seed: number,
  totals: Totals,
  options: RunOptions = {},
): Promise<void> {
  await warmUp();
  seedTheProcess(seed);
  totals.runs++;
  const run = new Run(seed, totals, options);
  for (let life = 0; life < LIVES; life++) await run.live(life);
}

class Run {
  readonly #seed: number;
  readonly #totals: Totals;
  readonly #witness: Witness;
  readonly #drivers: Drivers;
  readonly #faults: boolean;
  readonly #kills: number;
  readonly #random: Random;
  readonly #contents = new Contents();
  readonly #uploads: KnownUpload[] = [];
  readonly #sizes = new Map<string, number>();
  readonly #large: boolean;
  readonly #grows: boolean;
  #remains: CrashState;
  #worlds: readonly World[] = [new Map()];
  #time = Date.UTC(2030, 0, 1);
  #slept = false;
  #lastName = 0;
  #history: string[] = [];

  constructor(seed: number, totals: Totals, options: RunOptions) {
    this.#seed = seed;
    this.#totals = totals;
    this.#drivers = options.drivers ?? driversFor(seed);
    this.#random = new Random(seed);
    this.#large = this.#random.chance(0.04);
    this.#grows = this.#random.chance(0.2);
    this.#remains = { disk: Disk.withDirectory(ROOT), records: NO_RECORDS };
    this.#faults = options.faults ?? this.#random.chance(0.5);
    this.#kills = options.kills ?? 0.4;
    this.#witness = new Witness({
      totals,
      drivers: this.#drivers,
      variants: options.variants ?? 32,
      // A separate sequence: how much is examined must not change what happens.
      random: new Random(~seed),
      contents: this.#contents,
      uploads: this.#uploads,
      now: () => this.#time,
    });
  }

  /** Clients work on a storage until it crashes. The state after every step is examined. */
  async live(life: number): Promise<void> {
    const random = this.#random;
    const scheduler = new Scheduler(random);
    const monitor = new Monitor(this.#worlds);
    for (const { name } of this.#uploads) monitor.knownUploads.add(name);
    const machine = new Machine(this.#remains, scheduler);
    let ended = false;
    let failure: unknown;
    const work = this.#work(machine, monitor, scheduler).then(
      () => {
        ended = true;
      },
      (error: unknown) => {
        failure = error ?? new Error('Something failed.');
      },
    );
    // Some lives end without a crash, when no step is left.
    const last = random.chance(0.3) ? MANY_STEPS : 30 + random.below(700);
    let looked = '';
    try {
      while ((await scheduler.settle()) && failure === undefined && scheduler.steps < last) {
        const now = `${scheduler.changes}/${monitor.answers}`;
        if (now !== looked) {
          looked = now;
          await this.#witness.crash(machine.remains, monitor);
          if (this.#drivers.forgetsLastCommit) {
            const { disk } = machine.remains;
            await this.#witness.crash({ disk, records: machine.records.earlier }, monitor);
          }
        }
        this.#time++;
        scheduler.advance();
        this.#totals.steps++;
      }
      if (failure !== undefined) throw failure;
      if (ended) await work;
      else if (scheduler.steps >= MANY_STEPS) throw new Error('The operations do not end.');
      else if (scheduler.steps < last) throw new Error('A client waits forever.');
      this.#totals.faults += scheduler.failures;
      await this.#carryOn(machine.remains, monitor);
    } catch (error) {
      throw this.#violation(error, `life ${life}, step ${scheduler.steps} (${scheduler.lastStep})`);
    }
  }

  async #work(machine: Machine, monitor: Monitor, scheduler: Scheduler): Promise<void> {
    const storage = await machine.open(this.#drivers, () => this.#time);
    const shared = this.#shared(scheduler);
    const stage: Stage = {
      storages: { host: storage, grantee: { ...storage, ...storage.as(GRANTEE) } },
      ...{ records: machine.records, totals: this.#totals },
      mayFail: this.#drivers.mayFail ?? false,
      ...{ monitor, scheduler, shared },
      note: (line) => this.#note(line),
    };
    for (const bucket of BUCKETS) {
      const call = () => answered(() => storage.putBucket({ bucket }));
      const name = `put bucket ${bucket}`;
      await perform({ bucket, name, moves: moves.makeBucket(bucket), call }, stage);
    }
    await storage.putBucketLifecycle({ bucket: BUCKETS[0], rule: [RULE] });
    if (this.#faults) scheduler.faults = SOME_FAULTS;
    const client = async () => {
      for (let count = 0; count < OPERATIONS; count++) {
        for (const planned of plan(shared)) await perform(planned, stage);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  #shared(scheduler: Scheduler): Shared {
    const random = this.#random;
    return {
      random,
      contents: this.#contents,
      uploads: this.#uploads,
      sizes: this.#sizes,
      large: this.#large,
      grows: this.#grows,
      now: () => this.#time,
      wait: (milliseconds) => {
        this.#time += milliseconds;
        if (milliseconds > 20 * READ_GRACE * 60) this.#slept = true;
      },
      dawdle: (steps) => scheduler.idle(random.chance(0.6) ? random.below(steps) : 0),
      remembers: () => !this.#slept,
      newName: () => `v${++this.#lastName}`,
    };
  }

  /**
   * The next life starts with one of the states that a power cut may leave, or with everything if
   * only the process dies. In that case, a later power cut may still lose what this life did not
   * sync.
   */
  async #carryOn({ disk, records }: CrashState, monitor: Monitor): Promise<void> {
    const isKilled = !this.#faults && this.#random.chance(this.#kills);
    const left = isKilled ? disk.snapshot() : disk.cut(this.#random, 0.5);
    const found = await this.#witness.look({ disk: left.snapshot(), records }, monitor);
    this.#remains = { disk: left, records };
    const name = () => `v${++this.#lastName}`;
    const { worlds, uploads } = named(monitor, found, name);
    this.#worlds = worlds;
    this.#uploads.push(...uploads);
    this.#note(isKilled ? '--- killed ---' : '--- power cut ---');
  }

  #note(line: string): void {
    this.#history.push(line);
    if (this.#history.length > 60) this.#history.shift();
  }

  #violation(error: unknown, where: string): Violation {
    const message = error instanceof Error ? error.message : String(error);
    const history = this.#history.join('\n    ');
    return new Violation(
      `SEED=${this.#seed}: ${where}\n  ${message}\n  Calls and answers:\n    ${history}`,
      { cause: error },
    );
  }
}

const RULE = {
  id: 'old',
  status: 'enabled',
  resource: [`${BUCKETS[0]}/t/*`],
  expires: {},
  action: 'DeleteObject',
} as const;
