import type { Change, Entry, KeyRange, MetadataStore } from '@bucketware/core';
import { atOnce, type Gate } from './gate.js';

/** Records in key order. All keys of a simulation are ASCII, so UTF-16 order is byte order. */
export type Records = readonly Entry[];

/** The records that survive a crash. Commits survive completely. */
export interface RecordsState {
  readonly entries: Records;
  readonly lastVersion: number;
}

export const NO_RECORDS: RecordsState = { entries: [], lastVersion: 0 };

/** Atomic commits, durable when they resolve. Each call is one step of the gate. */
export class SimulatedRecords implements MetadataStore {
  state: RecordsState;
  /** The state before the last commit. */
  earlier: RecordsState;
  readonly #gate: Gate;

  constructor(state: RecordsState, gate: Gate = atOnce) {
    this.state = state;
    this.earlier = state;
    this.#gate = gate;
  }

  /** Like `get`, but synchronous and without a step. */
  find(key: string): Entry | undefined {
    return find(this.state.entries, key);
  }

  get(key: string): Promise<Entry | undefined> {
    return this.#gate.step('get', () => this.find(key), { silent: true });
  }

  getMany(keys: readonly string[]): Promise<(Entry | undefined)[]> {
    const read = () => keys.map((key) => this.find(key));
    return this.#gate.step('getMany', read, { silent: true });
  }

  list({ prefix, start = prefix, limit }: KeyRange): Promise<Entry[]> {
    const read = () => {
      const { entries } = this.state;
      const found: Entry[] = [];
      for (let at = place(entries, start < prefix ? prefix : start); at < entries.length; at++) {
        const entry = entries[at] as Entry;
        if (found.length >= limit || !entry.key.startsWith(prefix)) break;
        found.push(entry);
      }
      return found;
    };
    return this.#gate.step('list', read, { silent: true });
  }

  commit(change: Change): Promise<string | undefined> {
    const put = (change.put ?? []).map(({ key, value }) => ({ key, value: frozen(value) }));
    return this.#gate.step('commit', () => this.apply({ ...change, put }));
  }

  apply({ expect = [], put = [], delete: removed = [] }: Change): string | undefined {
    const { entries, lastVersion } = this.state;
    for (const { key, version } of expect) {
      if (find(entries, key)?.version !== version) return undefined;
    }
    const next = [...entries];
    for (const key of removed) {
      const at = place(next, key);
      if (next[at]?.key === key) next.splice(at, 1);
    }
    const version = String(lastVersion + 1);
    for (const { key, value } of put) {
      const at = place(next, key);
      next.splice(at, next[at]?.key === key ? 1 : 0, { key, value, version });
    }
    this.earlier = this.state;
    this.state = { entries: next, lastVersion: lastVersion + 1 };
    return version;
  }

  async close(): Promise<void> {}
}

function find(entries: Records, key: string): Entry | undefined {
  const entry = entries[place(entries, key)];
  return entry?.key === key ? entry : undefined;
}

/** The index of a key, or where it would be inserted. */
function place(entries: Records, key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Entry).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An immutable copy, so that snapshots may share it. */
function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) copy[key] = frozen(item);
  return Object.freeze(copy);
}
