import { RecordKind } from './kind.js';
import { isBoolean, isNumber, isText, optional, shape } from './shape.js';

/** Which storage the records belong to, and how they are laid out. */
export interface StoreRecord {
  readonly id: string;
  /** Of the records, or the one that they are being brought to. */
  readonly layout: number;
  /** The blobs carry the same id. */
  readonly claimed: boolean;
  /** While the records are brought to this layout: how far that has come. */
  readonly migrating?: MigrationProgress;
}

export interface MigrationProgress {
  /** The last record that was looked at. Empty: none yet. */
  readonly after: string;
}

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
