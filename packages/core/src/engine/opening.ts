import type { Stored } from './records/kind.js';
import { type StoreRecord, storeRecord } from './records/store-identity.js';
import { newId, type Store } from './store.js';
import { together } from './transaction.js';

const LAYOUT = 3;
/** Its buckets have no ids: what is theirs stands under their names, and may stay there. */
const WITHOUT_BUCKET_IDS = 2;

/**
 * Makes sure that records and bytes belong together, or marks both when both are new. With the
 * wrong records every blob would look like garbage, so a mismatch refuses to open.
 */
export async function claim({ metadata, blobs }: Pick<Store, 'metadata' | 'blobs'>): Promise<void> {
  const mark = await blobs.identity();
  const entry = await storeRecord.get(metadata);
  if (entry === undefined) {
    if (mark !== undefined) {
      throw new Error(
        `The bytes belong to the storage ${mark}, but the records are empty. ` +
          'Open the records that belong to these bytes, or start with an empty directory.',
      );
    }
    const record: StoreRecord = { id: newId(), layout: LAYOUT, claimed: false };
    await metadata.commit(replaced(undefined, record));
    return claim({ metadata, blobs });
  }
  const record = entry.value;
  if (record.layout === WITHOUT_BUCKET_IDS) {
    // From here on an earlier version refuses the records: it would not find what ids stand for.
    await metadata.commit(replaced(entry, { ...record, layout: LAYOUT }));
    return claim({ metadata, blobs });
  }
  if (record.layout !== LAYOUT) {
    throw new Error(`The records have layout ${record.layout}; this version reads ${LAYOUT}.`);
  }
  if (mark !== record.id && (mark !== undefined || record.claimed)) {
    throw new Error(
      `The records belong to the storage ${record.id}, the bytes to ${mark ?? 'none'}. ` +
        'Open the records and the bytes that belong together.',
    );
  }
  if (mark === undefined) await blobs.identify(record.id);
  if (!record.claimed) await metadata.commit(replaced(entry, { ...record, claimed: true }));
}

const replaced = (entry: Stored<StoreRecord> | undefined, record: StoreRecord) =>
  together(storeRecord.expect(undefined, entry?.version), storeRecord.put(undefined, record));
