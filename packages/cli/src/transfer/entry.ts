import type { Stats } from 'node:fs';

/** A file or an object below a folder. */
export interface Entry {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Only for objects. */
  readonly etag?: string | undefined;
  /** Why a file, or a directory with `/` at the end, could not be read. */
  readonly error?: Error | undefined;
}

/** The entry of a file. */
export const fileEntry = (path: string, { size, mtimeMs }: Stats): Entry => ({
  path,
  size,
  modified: Math.floor(mtimeMs),
});

/**
 * Entries sorted by the UTF-8 bytes of their paths, so that two lists can be compared while they
 * arrive.
 */
export type Entries = AsyncIterable<Entry>;

/** The order of keys in a bucket. */
export const byBytes = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
