import type { Root } from './root.js';

/** A root as it is stored. */
export interface RootImage {
  readonly root: Root;
  /** The exact value in the adapter, which a compare-and-set compares with. */
  readonly stored: unknown;
}

export interface Swap {
  /** The root that must still be current. `undefined`: the store must have no root. */
  readonly from: RootImage | undefined;
  readonly to: Root;
  /** The new pages by id. They are stored before the root refers to them. */
  readonly pages: ReadonlyMap<string, string>;
  /** The ids of pages that neither root uses. */
  readonly removed: readonly string[];
}

/** Keeps pages and the root in a Keyv. */
export interface PageStore {
  /** Whether a swap compares and sets in one step. Only then may several processes write. */
  readonly atomic: boolean;
  readRoot(): Promise<RootImage | undefined>;
  readPage(id: string): Promise<unknown>;
  /**
   * Resolves to the new root, or to `undefined` when another writer was first and nothing
   * changed. When it rejects, the outcome is unknown.
   */
  swap(swap: Swap): Promise<RootImage | undefined>;
  /** Whether this root may be one whose write failed, and that arrived later. */
  mayBeLate(image: RootImage): boolean;
  /** Resolves when no earlier call can take effect any more. */
  settled(): Promise<void>;
}

/** The store can no longer be used. Every later call rejects with this error. */
export abstract class StoreLostError extends Error {}

/** The database has lost commits that this process has made, so its tree is not the stored one. */
export class RolledBackError extends StoreLostError {
  override readonly name = 'RolledBackError';
  constructor() {
    super(
      'The database went back to an earlier state of this metadata store, such as after a failover ' +
        'or a restoration. Restart the processes that use it.',
    );
  }
}

/** The database has lost this store, and another process has created a new one in its place. */
export class ReplacedError extends StoreLostError {
  override readonly name = 'ReplacedError';
  constructor() {
    super(
      'The records of this metadata store are gone, and a new store has taken its place. ' +
        'Stop the processes that use it, and restore the database from a backup.',
    );
  }
}

/**
 * Another process has opened the store for writing and taken it over. From then on, every call to
 * this store rejects with this error. Happens only with `writers: 'one'`.
 */
export class FencedError extends StoreLostError {
  override readonly name = 'FencedError';
  constructor() {
    super(
      'Another process opened this metadata store for writing and took it over. ' +
        'Stop one of the two processes, or use an adapter that lets several write.',
    );
  }
}
