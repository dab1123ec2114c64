import type { Bucket } from '../buckets/buckets.js';
import { afterMarker, listPage } from '../listing.js';
import { after, afterPrefix } from '../records/keys.js';
import {
  keyOfUpload,
  type UploadRecord,
  uploadRecords,
  uploadsOf,
  uploadsTo,
} from '../records/uploads.js';
import type { Store } from '../store.js';

export interface UploadListing {
  readonly prefix: string;
  /** Empty for no delimiter. */
  readonly delimiter: string;
  /** The page starts after this key; if it is empty, at the first key. */
  readonly keyMarker: string;
  /**
   * The page starts after this upload of that key; if it is empty, after all uploads of the key.
   */
  readonly uploadIdMarker: string;
  /** The maximum number of uploads and common prefixes on a page. */
  readonly max: number;
}

export interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly upload: UploadRecord;
}

export interface UploadPage {
  readonly uploads: readonly ListedUpload[];
  readonly commonPrefixes: readonly string[];
  readonly isTruncated: boolean;
  /** The markers for the next page: of the last upload or the last common prefix. */
  readonly next: { readonly keyMarker: string; readonly uploadIdMarker?: string } | undefined;
}

/** One page of a bucket's unfinished uploads, sorted by key and then by start time. */
export async function listUploads(
  { metadata }: Store,
  bucket: Bucket,
  { prefix, delimiter, keyMarker, uploadIdMarker, max }: UploadListing,
): Promise<UploadPage> {
  const uploads: ListedUpload[] = [];
  const commonPrefixes: string[] = [];
  let next: UploadPage['next'];
  // No key contains NUL; in the records, NUL separates the key from the upload's id.
  if (prefix.includes('\0')) return { uploads, commonPrefixes, isTruncated: false, next };
  const base = uploadsOf(bucket.id);
  const behindKey = (): string | undefined =>
    uploadIdMarker === ''
      ? afterPrefix(uploadsTo(bucket.id, keyMarker))
      : after(uploadsTo(bucket.id, keyMarker) + uploadIdMarker);
  const start = afterMarker({ base, prefix, delimiter, marker: keyMarker }, behindKey);
  const keyOf = keyOfUpload;
  const about = { kind: uploadRecords, base, prefix, delimiter, start, max, keyOf, textsOf };
  const page = await listPage(metadata, about);
  for (const item of page.items) {
    if ('commonPrefix' in item) {
      commonPrefixes.push(item.commonPrefix);
      next = { keyMarker: item.commonPrefix };
      continue;
    }
    const { key, uploadId } = uploadRecords.parse(item.entry.key);
    uploads.push({ key, uploadId, upload: item.entry.value });
    next = { keyMarker: key, uploadIdMarker: uploadId };
  }
  const { isTruncated } = page;
  return { uploads, commonPrefixes, isTruncated, next: isTruncated ? next : undefined };
}

const textsOf = ({ owner }: UploadRecord): string[] => [owner.userId, owner.userName];
