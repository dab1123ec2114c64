/** A value, and about how many bytes of memory it takes. */
export interface Sized<Value> {
  readonly value: Value;
  readonly bytes: number;
}

interface Known<Value> {
  readonly version: string;
  readonly reading: Promise<Sized<Value>>;
  /** 0 while it is being read. */
  bytes: number;
}

/**
 * Caches values that are expensive to prepare, one for each id, while the version is the same.
 * Beyond the limit of bytes, the least recently used ones are dropped.
 */
export class KnownValues<Value> {
  /** The most recently used one is last. */
  readonly #known = new Map<string, Known<Value>>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Concurrent callers share one read. A failure is not cached. */
  async get(id: string, version: string, read: () => Promise<Sized<Value>>): Promise<Value> {
    const known = this.#known.get(id);
    if (known?.version === version) {
      this.#known.delete(id);
      this.#known.set(id, known);
      return (await known.reading).value;
    }
    this.forget(id);
    const added: Known<Value> = { version, reading: read(), bytes: 0 };
    this.#known.set(id, added);
    try {
      const { value, bytes } = await added.reading;
      if (this.#known.get(id) === added) this.#count(added, bytes);
      return value;
    } catch (error) {
      if (this.#known.get(id) === added) this.forget(id);
      throw error;
    }
  }

  #count(added: Known<Value>, bytes: number): void {
    added.bytes = bytes;
    this.#bytes += bytes;
    for (const [id, known] of this.#known) {
      if (this.#bytes <= this.#maxBytes) return;
      if (known !== added) this.forget(id);
    }
  }

  /** Drops the value of an id that no longer exists or no longer has one. */
  forget(id: string): void {
    this.#bytes -= this.#known.get(id)?.bytes ?? 0;
    this.#known.delete(id);
  }
}
