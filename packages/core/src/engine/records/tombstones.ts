import { RecordKind } from './kind.js';
import { oneOf } from './shape.js';

/** What a tombstone stands for. */
export type Garbage = 'blob' | 'manifest' | 'upload' | 'completed' | 'bucket' | 'acl';

export interface TombstoneId {
  /** Milliseconds since 1970. 0: its removal has begun. */
  readonly due: number;
  /** Of the blob, or of what else is to be removed. */
  readonly id: string;
}

const DUE_DIGITS = 14;
const isGarbage = oneOf('blob', 'manifest', 'upload', 'completed', 'bucket', 'acl');

/** In the order of the times when they are due. */
export const tombstoneRecords = new RecordKind<TombstoneId, Garbage>({
  name: 'a tombstone',
  prefix: 'g/',
  key: ({ due, id }) => `g/${String(due).padStart(DUE_DIGITS, '0')}/${id}`,
  parse: (key) => ({
    due: Number(key.slice(2, 2 + DUE_DIGITS)),
    id: key.slice(2 + DUE_DIGITS + 1),
  }),
  fits: (value): value is Garbage => isGarbage(value),
});
