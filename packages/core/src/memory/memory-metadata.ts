import { checkKey, checkText } from '../contracts/keys.js';
import type {
  Change,
  Entry,
  KeyRange,
  MetadataSnapshot,
  MetadataStore,
} from '../contracts/metadata-store.js';
import { copyPlainData } from '../contracts/plain-data.js';
import { checkOptions } from '../options.js';
import { compareKeys, SortedKeys } from './sorted-keys.js';

/**
 * A metadata store in memory, for tests and experiments. Its content is lost when the process ends.
 */
export function memoryMetadata(options: Readonly<Record<string, never>> = {}): MetadataStore {
  checkOptions('memoryMetadata()', options, {});
  return new MemoryMetadata();
}

class MemoryMetadata implements MetadataStore {
  readonly #entries = new Map<string, Entry>();
  readonly #keys = new SortedKeys();
  readonly #snapshots = new Set<MetadataSnapshot>();
  #lastVersion = 0;
  #closed = false;

  async get(key: string): Promise<Entry | undefined> {
    this.#checkOpen();
    checkKey(key);
    return this.#read(key);
  }

  async getMany(keys: readonly string[]): Promise<(Entry | undefined)[]> {
    this.#checkOpen();
    keys.forEach(checkKey);
    return keys.map((key) => this.#read(key));
  }

  async list({ prefix, start = prefix, limit, delimiter }: KeyRange): Promise<Entry[]> {
    this.#checkOpen();
    checkText(prefix);
    checkText(start);
    const found: Entry[] = [];
    const first = compareKeys(start, prefix) < 0 ? prefix : start;
    let group: string | undefined;
    for (const key of this.#keys.from(first)) {
      if (found.length >= limit || !key.startsWith(prefix)) break;
      if (group !== undefined && key.startsWith(group)) continue;
      found.push(this.#read(key) as Entry);
      const at = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length);
      group = at < 0 ? undefined : key.slice(0, at + (delimiter as string).length);
    }
    return found;
  }

  async commit({
    expect = [],
    put = [],
    delete: removed = [],
  }: Change): Promise<string | undefined> {
    this.#checkOpen();
    for (const { key } of [...expect, ...put]) checkKey(key);
    removed.forEach(checkKey);
    const values = put.map(({ key, value }) => ({ key, value: copyPlainData(value) }));

    const holds = expect.every(({ key, version }) => this.#entries.get(key)?.version === version);
    if (!holds) return undefined;

    for (const key of removed) this.#remove(key);
    const version = String(++this.#lastVersion);
    for (const { key, value } of values) this.#write({ key, value, version });
    return version;
  }

  async snapshot(): Promise<MetadataSnapshot> {
    this.#checkOpen();
    const copy = new MemoryMetadata();
    for (const entry of this.#entries.values()) copy.#write(entry);
    this.#snapshots.add(copy);
    return copy;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const snapshot of this.#snapshots) await snapshot.close();
  }

  #read(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry && { ...entry, value: copyPlainData(entry.value) };
  }

  #write(entry: Entry): void {
    if (!this.#entries.has(entry.key)) this.#keys.add(entry.key);
    this.#entries.set(entry.key, entry);
  }

  #remove(key: string): void {
    if (this.#entries.delete(key)) this.#keys.delete(key);
  }

  #checkOpen(): void {
    if (this.#closed) throw new Error('The metadata store is closed.');
  }
}
