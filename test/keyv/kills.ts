import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyvMetadata } from '@bucketware/keyv';
import { Random } from '../simulator/random.js';
import { History } from './kill-history.js';
import { idsAt, opener, type Place } from './kill-place.js';
import { BASE } from './kill-records.js';
import { Writer } from './kill-writer.js';
import type { OwnServer } from './servers.js';

/** The store, the number of concurrent writers, and the number of kills. */
export interface Kills {
  readonly place: Place;
  readonly writers: number;
  readonly kills: number;
  readonly seed: number;
}

export interface KillResults {
  readonly kills: number;
  readonly seed: number;
  readonly acknowledged: number;
  /** Commits that took effect although their writers were killed before they reported them. */
  readonly whole: number;
  /**
   * Commits that were lost, incomplete or undone, and everything else that is wrong with the
   * records.
   */
  readonly faults: readonly string[];
  /** The problems that `check` finds in the tree. */
  readonly problems: readonly string[];
  /** Stored pages that neither the tree nor the root refers to. */
  readonly leaked: number;
  /**
   * Values that were written to test the adapter, and not removed because the process was killed.
   */
  readonly probes: number;
  readonly seconds: number;
}

/** Kills writers at random moments, repeatedly on one store, and examines it after each round. */
export async function killWriters({ place, writers, kills, seed }: Kills): Promise<KillResults> {
  const random = new Random(seed);
  const store = await KilledStore.make(place, writers);
  let started = 0;
  const start = () => {
    const count = Math.min(writers, kills - started);
    started += count;
    return store.writers(count);
  };
  try {
    for (let running = start(), spare: Writer[] = []; running.length > 0; running = spare) {
      await Promise.all(running.map((writer) => writer.reported(1)));
      for (const writer of running) writer.start();
      // The next writers load while these write.
      spare = start();
      await Promise.all(running.map((writer) => killOne(writer, random)));
      await store.inspect(running);
    }
  } finally {
    await store.end();
  }
  return { kills, seed, ...store.found() };
}

/** Kills the server while writers use it, and examines its data after a restart. */
export async function killServer(
  server: OwnServer,
  { place, writers, kills, seed }: Kills,
): Promise<KillResults> {
  const random = new Random(seed);
  const store = await KilledStore.make(place, writers);
  try {
    for (let count = 0; count < kills; count++) {
      const running = store.writers(writers);
      for (const writer of running) writer.start();
      await Promise.all(running.map((writer) => writer.reported(20 + random.below(60))));
      await sleep(random.below(20));
      await server.kill();
      await Promise.all(running.map((writer) => writer.kill()));
      await server.restart();
      await store.inspect(running, 'the server is gone');
    }
  } finally {
    await store.end();
  }
  return { kills, seed, ...store.found() };
}

/** Mostly during a commit, sometimes while the store is opened. */
async function killOne(writer: Writer, random: Random): Promise<void> {
  const [writes, lines, pause] = [random.chance(0.8), random.below(40), random.below(20)];
  if (writes) await writer.reported(2 + lines);
  await sleep(pause);
  await writer.kill();
}

/** A store whose writers are killed, with everything that was reported. */
class KilledStore {
  readonly #place: Place;
  readonly #history: History;
  readonly #began = performance.now();
  readonly #faults: string[] = [];
  readonly #problems: string[] = [];
  readonly #writers: Writer[] = [];
  #left = { leaked: 0, probes: 0 };

  private constructor(place: Place, seats: number) {
    this.#place = place;
    this.#history = new History(seats);
  }

  static async make(place: Place, seats: number): Promise<KilledStore> {
    const store = await (await opener(place))();
    await store.commit({ put: BASE });
    await store.close();
    return new KilledStore(place, seats);
  }

  writers(count: number): Writer[] {
    const made = Array.from({ length: count }, (_, seat) => {
      return new Writer(this.#place, `w${this.#writers.length + seat}`, seat);
    });
    this.#writers.push(...made);
    return made;
  }

  /** No writer may outlive the store, even after a failure. */
  async end(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.kill()));
  }

  /** Opens the store like the next process, and examines everything in it. */
  async inspect(ended: readonly Writer[], mayFail?: 'the server is gone'): Promise<void> {
    for (const writer of ended) {
      const faults = this.#history.add(writer);
      this.#faults.push(...faults.filter((fault) => !mayFail || !fault.startsWith('failed')));
    }
    const store = await (await opener(this.#place))();
    this.#faults.push(...this.#history.faults(await store.list({ prefix: '', limit: 100_000 })));
    this.#problems.push(...(await store.check()).problems);
    // A statement of a killed client may be completed a little later.
    for (let tries = 1; tries === 1 || (this.#left.leaked > 0 && tries < 5); tries++) {
      if (tries > 1) await sleep(50);
      this.#left = await this.#leftIn(store);
    }
    await store.close();
  }

  found() {
    const seconds = (performance.now() - this.#began) / 1000;
    const { acknowledged, whole } = this.#history;
    const [faults, problems] = [this.#faults, this.#problems];
    return { acknowledged, whole, faults, problems, ...this.#left, seconds };
  }

  async #leftIn(store: KeyvMetadata) {
    const { used, waiting } = await store.check();
    const known = (id: string) =>
      used.has(id) || waiting.has(id) || ['root', 'claim', 'turn'].includes(id);
    const unknown = (await idsAt(this.#place)).filter((id) => !known(id));
    const probes = unknown.filter((id) => id.startsWith('probe')).length;
    return { leaked: unknown.length - probes, probes };
  }
}
