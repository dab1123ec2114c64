import { RecordKind } from './kind.js';
import { oneOf } from './shape.js';

/** What a tombstone removes. */
export type Garbage = 'blob' | 'manifest' | 'upload' | 'completed' | 'bucket' | 'acl';

export interface TombstoneId {
  /** Milliseconds since 1970; 0 once the removal has begun. */
  readonly due: number;
  /** The id of the blob or other data to remove. */
  readonly id: string;
}

const DUE_DIGITS = 14;

/**
 * Earlier versions stored times with fractions of milliseconds and did not pad them. Such
 * tombstones are sorted after all others.
 */
export const FIRST_UNPADDED = 'g/1';

const isGarbage = oneOf('blob', 'manifest', 'upload', 'completed', 'bucket', 'acl');

/** The first key of a tombstone whose removal has not begun. */
export const FIRST_WAITING = `g/${'1'.padStart(DUE_DIGITS, '0')}`;

/** Tombstones, sorted by the time when they are due. */
export const tombstoneRecords = new RecordKind<TombstoneId, Garbage>({
  name: 'a tombstone',
  prefix: 'g/',
  key: ({ due, id }) => `g/${String(due).padStart(DUE_DIGITS, '0')}/${id}`,
  parse: (key) => ({
    due: Number.parseInt(key.slice(2), 10),
    id: key.slice(key.lastIndexOf('/') + 1),
  }),
  fits: (value): value is Garbage => isGarbage(value),
});

/**
 * A blob that is about to be written, or a manifest that covers all its blobs. It has a tombstone,
 * so nothing is leaked, whatever crashes. A commit that expects the tombstone fails once the
 * removal has started.
 */
export interface Reservation {
  readonly id: string;
  readonly tombstone: {
    readonly key: string;
    readonly version: string;
    readonly value: Garbage;
  };
  /** Of the blobs that a manifest names, those that may exist; `undefined` if all may. */
  readonly made?: ReadonlySet<string>;
}
