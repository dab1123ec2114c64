import { singleRecord } from './kind.js';
import { isBoolean, isNumber, isText, optional, shape } from './shape.js';

/** Which storage the records belong to, and their layout. */
export interface StoreRecord {
  readonly id: string;
  /** The layout of the records, or the one to which they are being migrated. */
  readonly layout: number;
  /** Whether the blobs are marked with the same id. */
  readonly claimed: boolean;
  /** The progress of a migration to this layout. */
  readonly migrating?: MigrationProgress;
}

export interface MigrationProgress {
  /** The last record that was examined; empty if there is none yet. */
  readonly after: string;
}

/** Present while a storage is being copied to these records. */
export interface CopyRecord {
  /** The identity of the copied storage. */
  readonly id: string;
  /** The call that is copying. A later call takes over. */
  readonly run: string;
}

export const copyRecord = singleRecord<CopyRecord>('s/copy', {
  name: 'an unfinished copy',
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
