import { singleRecord } from './kind.js';
import { isBoolean, isNumber, isText, optional, shape } from './shape.js';

/** Which storage the records belong to, and their layout. */
export interface StoreRecord {
  readonly id: string;
  /** The layout of the records, or the one to which they are being migrated. */
  readonly layout: number;
  /** The blobs carry the same id. */
  readonly claimed: boolean;
  /** The progress of a migration to this layout. */
  readonly migrating?: MigrationProgress;
}

export interface MigrationProgress {
  /** The last record that was examined. Empty: none yet. */
  readonly after: string;
}

/** A copy to these records is under way. */
export interface CopyRecord {
  /** The identity of the storage that is copied. */
  readonly id: string;
  /** The call that copies: a later one takes over. */
  readonly run: string;
}

export const copyRecord = singleRecord<CopyRecord>('s/copy', {
  name: 'a copy under way',
  fits: shape<CopyRecord>({ id: isText, run: isText }),
});

export const storeRecord = singleRecord<StoreRecord>('s/store', {
  name: 'the identity of a storage',
  fits: shape<StoreRecord>({
    id: isText,
    layout: isNumber,
    claimed: isBoolean,
    migrating: optional(shape<MigrationProgress>({ after: isText })),
  }),
});
