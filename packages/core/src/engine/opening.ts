import { STORE_KEY } from './records/keys.js';
import type { StoreRecord } from './records/types.js';
import { newId, type Store } from './store.js';

const LAYOUT = 3;
/** Its buckets have no ids: what is theirs stands under their names, and may stay there. */
const WITHOUT_BUCKET_IDS = 2;

/**
 * Makes sure that records and bytes belong together, or marks both when both are new. With the
 * wrong records every blob would look like garbage, so a mismatch refuses to open.
 */
export async function claim({ metadata, blobs }: Pick<Store, 'metadata' | 'blobs'>): Promise<void> {
  const mark = await blobs.identity();
  const entry = await metadata.get(STORE_KEY);
  if (entry === undefined) {
    if (mark !== undefined) {
      throw new Error(
        `The bytes belong to the storage ${mark}, but the records are empty. ` +
          'Open the records that belong to these bytes, or start with an empty directory.',
      );
    }
    const record: StoreRecord = { id: newId(), layout: LAYOUT, claimed: false };
    const put = [{ key: STORE_KEY, value: record }];
    await metadata.commit({ expect: [{ key: STORE_KEY, version: undefined }], put });
    return claim({ metadata, blobs });
  }
  const record = entry.value as StoreRecord;
  if (record.layout === WITHOUT_BUCKET_IDS) {
    // From here on an earlier version refuses the records: it would not find what ids stand for.
    const put = [{ key: STORE_KEY, value: { ...record, layout: LAYOUT } }];
    await metadata.commit({ expect: [{ key: STORE_KEY, version: entry.version }], put });
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
  if (!record.claimed) {
    await metadata.commit({
      expect: [{ key: STORE_KEY, version: entry.version }],
      put: [{ key: STORE_KEY, value: { ...record, claimed: true } }],
    });
  }
}
