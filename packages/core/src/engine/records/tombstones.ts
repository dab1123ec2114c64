import { RecordKind } from './kind.js';
import { oneOf } from './shape.js';

/** What a tombstone removes. */
export type Garbage = 'blob' | 'manifest' | 'upload' | 'completed' | 'bucket' | 'acl';

export interface TombstoneId {
  /** Milliseconds since 1970. 0: its removal has begun. */
  readonly due: number;
  /** Of the blob, or of what else is to be removed. */
  readonly id: string;
}

const DUE_DIGITS = 14;

/**
 * Earlier versions took fractions of milliseconds for times, and did not pad them. Such tombstones are
 * sorted behind all others.
 */
export const FIRST_UNPADDED = 'g/1';

const isGarbage = oneOf('blob', 'manifest', 'upload', 'completed', 'bucket', 'acl');

/** Sorted by the times when they are due. */
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
  /** Of the blobs that a manifest names, those that may exist. Undefined: all. */
  readonly made?: ReadonlySet<string>;
}
