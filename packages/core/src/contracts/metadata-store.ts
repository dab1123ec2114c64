/**
 * The contract of a driver that stores records: an ordered key-value store with atomic conditional
 * commits.
 *
 * Keys are well-formed Unicode text of 1 to 1,200 UTF-8 bytes and are ordered by these bytes (not
 * by UTF-16 units). They may contain NUL. Any other key causes a TypeError.
 *
 * A store that cannot be reached rejects with an error whose `code` is `EHOSTDOWN`, within a time
 * that its documentation states. Clients then get 503 with a `Retry-After` header.
 */
export interface MetadataStore {
  /** The entry as of the last commit that resolved before this call, or `undefined`. */
  get(key: string): Promise<Entry | undefined>;

  /** The entries of `keys`, in their order, all from one snapshot. */
  getMany(keys: readonly string[]): Promise<(Entry | undefined)[]>;

  /** Up to `limit` entries in key order, all from one snapshot. */
  list(range: KeyRange): Promise<Entry[]>;

  /**
   * Applies the whole change, or none of it.
   *
   * Resolves when the change is durable, to the version that every key of `put` now has. A version
   * is never the empty string. A change without puts resolves to a version that no key has.
   * Resolves to `undefined` when an expectation did not hold and nothing changed. When it rejects
   * with the code `EHOSTDOWN` or `EROFS`, nothing changed either. When it rejects with any other
   * error, such as an `OutcomeUnknownError`, it is unknown whether the change was applied.
   */
  commit(change: Change): Promise<string | undefined>;

  /**
   * Opens a snapshot of all entries as of one instant, at or after this call. Optional: without it,
   * a storage cannot be backed up while it is in use.
   */
  snapshot?(): Promise<MetadataSnapshot>;

  /** Waits for running commits, then releases the store. A second call does nothing. */
  close(): Promise<void>;
}

/** All entries as of one instant. */
export interface MetadataSnapshot {
  /** Like {@link MetadataStore.list}. Rejects once the snapshot, or its store, is closed. */
  list(range: KeyRange): Promise<Entry[]>;

  /** Releases the snapshot. A second call does nothing. */
  close(): Promise<void>;
}

/** A stored value with the version that its last commit gave it. */
export interface Entry {
  readonly key: string;
  /** Plain data: null, booleans, numbers, text, `Uint8Array`, arrays and objects of these. */
  readonly value: unknown;
  /** Differs between any two commits that wrote this key, even if it was deleted in between. */
  readonly version: string;
}

/** The entries to list. */
export interface KeyRange {
  /** Only keys that start with this text. */
  readonly prefix: string;
  /** Only keys at or after this one. */
  readonly start?: string | undefined;
  /**
   * Keys that are equal up to and including the first occurrence of this text after the prefix form
   * a group, and only the first key of each group is needed. A store may return the others, but is
   * faster if it skips them. Default: all keys are needed.
   */
  readonly delimiter?: string | undefined;
  /** The maximum number of entries, 1 or more. */
  readonly limit: number;
}

/** One change: first all expectations, then all deletions, then all puts. */
export interface Change {
  /**
   * What must hold at the moment of the commit. A version of `undefined` means that the key must be
   * absent.
   */
  readonly expect?: readonly Expectation[];
  readonly put?: readonly { readonly key: string; readonly value: unknown }[];
  /** Keys to remove. Absent keys are ignored. */
  readonly delete?: readonly string[];
}

/** A condition of a commit: the key has this version. */
export interface Expectation {
  readonly key: string;
  readonly version: string | undefined;
}
