import { isDeepStrictEqual } from 'node:util';
import type { Entry } from '@bucketware/core';
import { BASE, COUNTER, LANES, LOG, laneCommit, logKey, prefixOf } from './kill-records.js';
import type { Writer } from './kill-writer.js';

/** What writers reported, and what is wrong with the records. */
export class History {
  acknowledged = 0;
  /**
   * The number of commits that took effect although their writers were killed before they reported
   * them.
   */
  whole = 0;
  readonly #seats: number;
  /** The last commit of each lane that was reported or seen. */
  readonly #lanes = new Map<string, number>();
  /** The writer that reported each number of the counter. */
  readonly #counts = new Map<number, string>();
  #count = 0;

  constructor(seats: number) {
    this.#seats = seats;
  }

  /** Records a report of a writer. Returns contradictions. */
  add({ lines, name }: Writer): string[] {
    const faults: string[] = [];
    for (const line of lines) {
      const [what, first = '', second] = line.split(' ');
      if (what === 'failed') faults.push(line);
      else if (what === 'found') faults.push(...this.#see(first, Number(second)));
      else if (what === 'lane') {
        this.#lanes.set(first, Number(second));
        this.acknowledged++;
      } else if (what === 'count') {
        const other = this.#counts.get(Number(first));
        if (other) faults.push(`${name} and ${other} both counted ${first}`);
        this.#counts.set(Number(first), name);
        this.acknowledged++;
      }
    }
    return faults;
  }

  /** Returns everything that is wrong with the records of a store without writers. */
  faults(entries: readonly Entry[]): string[] {
    const found = new Map(entries.map(({ key, value }) => [key, value]));
    const faults: string[] = [];
    let expected = BASE.length;
    for (const { key, value } of BASE) {
      if (found.get(key) !== value) faults.push(`${key} is gone`);
    }
    for (let lane = 0; lane < this.#seats * LANES; lane++) {
      const name = `${Math.floor(lane / LANES)}-${lane % LANES}`;
      const first = found.get(`${prefixOf(name)}0`) as { n: number } | undefined;
      faults.push(...this.#see(name, first?.n ?? 0));
      if (first === undefined) continue;
      const { put } = laneCommit(name, first.n);
      expected += put.length;
      const torn = put.filter(({ key, value }) => !isDeepStrictEqual(found.get(key), value));
      if (torn.length > 0) faults.push(`lane ${name}: commit ${first.n} is torn`);
    }
    const count = (found.get(COUNTER) as number | undefined) ?? 0;
    expected += Math.min(count, LOG) + (count > 0 ? 1 : 0);
    faults.push(...this.#checkCount(count, found));
    if (entries.length !== expected) faults.push(`${entries.length} records, not ${expected}`);
    return faults;
  }

  /** Commit `n` of a lane was found. An earlier one must not be found later. */
  #see(lane: string, n: number): string[] {
    const last = this.#lanes.get(lane) ?? 0;
    this.#lanes.set(lane, n);
    if (n === last + 1) this.whole++;
    if (n === last || n === last + 1) return [];
    return [`lane ${lane} is at ${n}, though ${last} was reported`];
  }

  #checkCount(count: number, found: ReadonlyMap<string, unknown>): string[] {
    const faults: string[] = [];
    for (let n = Math.max(1, count - LOG + 1); n <= count; n++) {
      const entry = found.get(logKey(n)) as { n: number; name: string } | undefined;
      const name = this.#counts.get(n) ?? entry?.name;
      if (!isDeepStrictEqual(entry, { n, name })) faults.push(`count ${n} is ${entry?.n}`);
    }
    const lost = [...this.#counts.keys()].filter((n) => n > count);
    if (lost.length > 0 || count < this.#count) faults.push(`the counter went back to ${count}`);
    this.#count = count;
    return faults;
  }
}
