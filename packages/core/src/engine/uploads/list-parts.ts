import { nextTurn } from '../concurrency/yielder.js';
import { type PartRecord, partRecords, partsOf } from '../records/parts.js';
import type { UploadRecord } from '../records/uploads.js';
import type { Store } from '../store.js';
import { requireUpload, type UploadName } from './uploads.js';

export interface PartListing {
  /** The page starts after this part number. */
  readonly marker: number;
  readonly max: number;
}

export interface ListedPart {
  readonly partNumber: number;
  readonly part: PartRecord;
}

export interface PartPage {
  readonly upload: UploadRecord;
  readonly parts: readonly ListedPart[];
  readonly isTruncated: boolean;
}

const LAST_MARKER = 99_999;

/** The parts uploaded so far, sorted by number. Throws NoSuchUpload. */
export async function listParts(
  store: Store,
  name: UploadName,
  { marker, max }: PartListing,
): Promise<PartPage> {
  const { record: upload } = await requireUpload(store, name);
  if (max === 0) return { upload, parts: [], isTruncated: false };
  const { uploadId } = name;
  const partNumber = Math.min(marker + 1, LAST_MARKER);
  const start = partRecords.key({ uploadId, partNumber });
  const range = { prefix: partsOf(uploadId), start, limit: max + 1 };
  await nextTurn(); // A page of 1,000 parts takes some 5 ms.
  const entries = await store.metadata.list(range);
  const parts = entries.slice(0, max).map((entry) => ({
    partNumber: partRecords.parse(entry.key).partNumber,
    part: partRecords.decode(entry).value,
  }));
  return { upload, parts, isTruncated: entries.length > max };
}
