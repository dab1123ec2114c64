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
  /** Empty: none. */
  readonly delimiter: string;
  /** The page begins behind this key. Empty: at the first. */
  readonly keyMarker: string;
  /** The page begins among the uploads of that key, behind this one. Empty: behind all of them. */
  readonly uploadIdMarker: string;
  /** How many uploads and common prefixes a page has at the most. */
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
  /** The markers of the next page: those of the last upload, or the last common prefix. */
  readonly next: { readonly keyMarker: string; readonly uploadIdMarker?: string } | undefined;
}

/** One page of a bucket's unfinished uploads, by key and then by start. */
export async function listUploads(
  { metadata }: Store,
  bucket: Bucket,
  { prefix, delimiter, keyMarker, uploadIdMarker, max }: UploadListing,
): Promise<UploadPage> {
  const uploads: ListedUpload[] = [];
  const commonPrefixes: string[] = [];
  let next: UploadPage['next'];
  // No key holds NUL, but behind one the records hold the upload's id.
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
