import { RecordKind } from './kind.js';
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

export const copyRecord = new RecordKind<void, CopyRecord>({
  name: 'a copy under way',
  prefix: 's/copy',
  key: () => 's/copy',
  parse: () => undefined,
  fits: shape<CopyRecord>({ id: isText, run: isText }),
});

export const storeRecord = new RecordKind<void, StoreRecord>({
  name: 'the identity of a storage',
  prefix: 's/store',
  key: () => 's/store',
  parse: () => undefined,
  fits: shape<StoreRecord>({
    id: isText,
    layout: isNumber,
    claimed: isBoolean,
    migrating: optional(shape<MigrationProgress>({ after: isText })),
  }),
});
