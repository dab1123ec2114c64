import { LRUCache } from 'lru-cache';

/** A value, and about how many bytes of memory it takes. */
export interface Sized<Value> {
  readonly value: Value;
  readonly bytes: number;
}

interface Known<Value> {
  readonly version: string;
  readonly reading: Promise<Sized<Value>>;
  /** `undefined` while it is being read. */
  readonly value?: Value;
}

/**
 * Caches values that are expensive to prepare, one for each id, while the version is the same.
 * Beyond the limit of bytes, the least recently used ones are dropped.
 */
export class KnownValues<Value> {
  readonly #known: LRUCache<string, Known<Value>>;

  constructor(maxBytes: number) {
    this.#known = new LRUCache({ maxSize: maxBytes });
  }

  /** The value, unless it must be read first. */
  ready(id: string, version: string): Value | undefined {
    const known = this.#known.get(id);
    return known?.version === version ? known.value : undefined;
  }

  /** Concurrent callers share one read. A failure is not cached. */
  async get(id: string, version: string, read: () => Promise<Sized<Value>>): Promise<Value> {
    const known = this.#known.get(id);
    if (known?.version === version) return (await known.reading).value;
    const added: Known<Value> = { version, reading: read() };
    // While it is being read, its size is not known.
    this.#known.set(id, added, { size: 1 });
    try {
      const { value, bytes } = await added.reading;
      // A value beyond the limit is kept too, by itself: to prepare it each time would cost more.
      const size = Math.min(Math.max(1, bytes), this.#known.maxSize);
      // A new entry, because LRUCache ignores another size of the same one.
      if (this.#known.peek(id) === added) this.#known.set(id, { ...added, value }, { size });
      return value;
    } catch (error) {
      if (this.#known.peek(id) === added) this.forget(id);
      throw error;
    }
  }

  /** Drops the value of an id that no longer exists or no longer has one. */
  forget(id: string): void {
    this.#known.delete(id);
  }
}
