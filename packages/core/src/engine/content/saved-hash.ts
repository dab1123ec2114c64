import type { IHasher } from 'hash-wasm';

/**
 * Hashes of one kind. A process can have only a few thousand WebAssembly instances, and a client
 * can keep its body open for a long time. So all hashes of a kind share one instance, which loads
 * the state of a hash for each chunk.
 */
export class SavedHashes {
  readonly #create: () => Promise<IHasher>;
  #hasher: Promise<IHasher> | undefined;

  constructor(create: () => Promise<IHasher>) {
    this.#create = create;
  }

  /**
   * A hash of no data yet, or one that continues from a state. Throws when the state is invalid.
   */
  async begin(state?: Uint8Array): Promise<SavedHash> {
    this.#hasher ??= this.#create().catch((error: unknown) => {
      this.#hasher = undefined;
      throw error;
    });
    return new SavedHash(await this.#hasher, state);
  }
}

/** A hash that keeps only its state while it waits for data. */
export class SavedHash {
  readonly #hasher: IHasher;
  #state: Uint8Array;

  constructor(hasher: IHasher, state: Uint8Array | undefined) {
    this.#hasher = hasher;
    this.#state = (state === undefined ? hasher.init() : hasher.load(state)).save();
  }

  update(bytes: Uint8Array): void {
    this.#state = this.#hasher.load(this.#state).update(bytes).save();
  }

  /** The state from which another hash can continue. */
  get state(): Uint8Array {
    return this.#state;
  }

  /** The digest of the data so far. */
  hex(): string {
    return this.#hasher.load(this.#state).digest('hex');
  }
}
