import type { Entry, MetadataStore } from '../../contracts/metadata-store.js';
import { copiedRecords } from '../records/copied.js';
import { copyRecord, storeRecord } from '../records/store-identity.js';

/** How many records are read or changed at a time. */
export const PAGE = 256;

/** Whether a record belongs to the storage or copy itself, and is not copied. */
const isOwn = (key: string): boolean =>
  key === storeRecord.key() || key === copyRecord.key() || key.startsWith(copiedRecords.prefix);

/** All records that are copied, in the order of their keys. */
export async function* entriesOf(
  metadata: Pick<MetadataStore, 'list'>,
): AsyncGenerator<Entry, undefined> {
  for (let start = ''; ; ) {
    const page = await metadata.list({ prefix: '', start, limit: PAGE });
    for (const entry of page) if (!isOwn(entry.key)) yield entry;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return undefined;
    start = `${last.key}\0`;
  }
}
