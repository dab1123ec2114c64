import { setTimeout as sleep } from 'node:timers/promises';

/** The store of the turn. */
interface Values {
  get(key: string): Promise<unknown>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

/** How many times in a row a process may lose before it asks for a turn. */
const MOST_LOST = 3;

/** How often a process that commits looks for those that have asked. */
const INTERVAL_MS = 20;

/**
 * How long others wait for a turn to end, because its process may have ended: a few times as long as
 * its last attempts took. It may be far away from the database.
 */
const ATTEMPTS = 4;
const PATIENCE_MS = { least: 250, most: 5_000 };

/**
 * Lets the processes that write to one store take turns. A commit only takes effect if the root has
 * not changed since it was read, so the process with the shortest commits would always be first. One
 * that has lost a few times stores its token. The others then wait for its next commit.
 */
export class Turns {
  readonly #values: Values;
  readonly #key: string;
  readonly #token: string;
  #lost = 0;
  #began = 0;
  /** How long the longest attempt took since others began to write, in milliseconds. */
  #took = 0;
  #asked: string | undefined;
  #count = 0;
  /** The turn of another process that was seen last, and the one that took too long. */
  #seen: string | undefined;
  #ignored: string | undefined;
  #looked = 0;

  constructor(values: Values, key: string, token: string) {
    this.#values = values;
    this.#key = key;
    this.#token = token;
  }

  /** Resolves when this process may commit: to whether the root may have changed meanwhile. */
  async begin(): Promise<boolean> {
    const mayHaveChanged = await this.#wait();
    this.#began = performance.now();
    return mayHaveChanged;
  }

  async #wait(): Promise<boolean> {
    if (this.#lost >= MOST_LOST) {
      this.#asked = `${this.#token}-${this.#count++}-${Math.ceil(this.#took * ATTEMPTS)}`;
      await this.#values.set(this.#key, this.#asked);
      return true;
    }
    this.#look();
    if (this.#seen === undefined) return false;
    const end = performance.now() + patienceFor(this.#seen);
    for (;;) {
      const turn = await this.#read();
      if (turn === undefined) return true;
      if (performance.now() > end) {
        this.#ignored = turn;
        return true;
      }
      await sleep(1 + Math.random() * 4);
    }
  }

  lose(): void {
    this.#lost++;
    this.#measure();
  }

  /** After a group of commits, whether it has succeeded or not. */
  async end(): Promise<void> {
    this.#measure();
    // The next loss asks for a turn, because the others are probably still there.
    if (this.#lost > 0) this.#lost = MOST_LOST - 1;
    else this.#took = 0;
    const asked = this.#asked;
    if (asked === undefined) return;
    this.#asked = undefined;
    try {
      if ((await this.#values.get(this.#key)) === asked) await this.#values.delete(this.#key);
    } catch {
      // The commits have been reported. What is left of the turn delays the others for a moment.
    }
  }

  #measure(): void {
    this.#took = Math.max(this.#took, performance.now() - this.#began);
  }

  /** Looks in the background, so that commits do not wait for it. */
  #look(): void {
    const now = performance.now();
    if (now < this.#looked + INTERVAL_MS) return;
    this.#looked = now;
    this.#read().catch(() => {}); // The commit reports that the store cannot be reached.
  }

  async #read(): Promise<string | undefined> {
    const found = await this.#values.get(this.#key);
    this.#seen = typeof found === 'string' && found !== this.#ignored ? found : undefined;
    return this.#seen;
  }
}

function patienceFor(turn: string): number {
  const wanted = Number(turn.split('-').at(-1)) || 0;
  return Math.min(Math.max(wanted, PATIENCE_MS.least), PATIENCE_MS.most);
}
