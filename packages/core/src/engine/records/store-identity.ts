import type { MetadataStore } from '../../contracts/metadata-store.js';
import { type Stored, singleRecord } from './kind.js';
import { isBoolean, isNumber, isText, optional, shape } from './shape.js';

/** Which storage the records belong to, and their layout. */
export interface StoreRecord {
  readonly id: string;
  /** The layout of the records, or the one to which they are being migrated. */
  readonly layout: number;
  /** Whether the blobs are marked with the same id. */
  readonly claimed: boolean;
  /** How the blobs of a new copy are marked until then. */
  readonly mark?: string;
  /** The opening of a new storage that marks its blobs. The others wait for it. */
  readonly claimant?: string;
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
  /**
   * How its blobs are marked: differently for each copy, and never like those of a storage. Absent
   * if an earlier version began the copy.
   */
  readonly mark?: string;
}

export const copyRecord = singleRecord<CopyRecord>('s/copy', {
  name: 'an unfinished copy',
  fits: shape<CopyRecord>({ id: isText, run: isText, mark: optional(isText) }),
});

export const storeRecord = singleRecord<StoreRecord>('s/store', {
  name: 'the identity of a storage',
  fits: shape<StoreRecord>({
    id: isText,
    layout: isNumber,
    claimed: isBoolean,
    mark: optional(isText),
    claimant: optional(isText),
    migrating: optional(shape<MigrationProgress>({ after: isText })),
  }),
});

interface Own {
  /** The id of the open storage. */
  readonly id: string;
}

/** Reads the identity, and throws what {@link requireOwn} throws. */
export async function requireOwnRecords(
  store: Own & { readonly metadata: Pick<MetadataStore, 'get'> },
): Promise<void> {
  requireOwn(store, await storeRecord.get(store.metadata));
}

/**
 * Throws when the records of an open storage are gone, or another storage has taken their place, as
 * when the database was emptied. Its buckets would look absent, and new ones would be lost.
 */
export function requireOwn({ id }: Own, found: Stored<StoreRecord> | undefined): void {
  if (found?.value.id === id) return;
  throw new Error(
    'The records of this storage were removed or replaced while it was open. Restart the processes ' +
      'that use it.',
  );
}
