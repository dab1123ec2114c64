import type { Change } from '../../contracts/metadata-store.js';
import type { OwnAcl } from '../records/acls.js';
import type { Content } from '../records/content.js';
import { inlineRecords } from '../records/inline-bytes.js';
import type { ObjectRecord } from '../records/objects.js';
import { partListRecords } from '../records/part-lists.js';
import { type Garbage, tombstoneRecords } from '../records/tombstones.js';
import type { UploadRecord } from '../records/uploads.js';
import type { Store } from '../store.js';
import { mergeChanges } from '../transaction.js';

/*
 * At every instant, each blob is named by a record or has a tombstone, whatever crashes: the
 * tombstone is written before the blob, the commit that makes the blob part of an object removes
 * it, and the commit that drops the blob writes a new one.
 */

export const tombstone = (due: number, id: string, kind: Garbage) => ({
  key: tombstoneRecords.key({ due, id }),
  value: kind,
});

/**
 * When data that is dropped now may be removed. Nobody downloads the parts of an upload, but they
 * are kept as long, because a database that goes back to an earlier time names them again.
 */
const afterGrace = (store: Store): number => store.now() + store.settings.readGrace;

/** The part of a change that drops data. Running downloads may finish. */
export function dropContent(store: Store, content: Content): Change {
  if ('inline' in content) return inlineRecords.delete(content.inline);
  const due = afterGrace(store);
  const blobs = new Set(content.segments.map((segment) => segment.blob));
  const put = Array.from(blobs, (blob) => tombstone(due, blob, 'blob'));
  if (content.manifest !== undefined) put.push(tombstone(due, content.manifest, 'manifest'));
  return { put };
}

/**
 * The part of a change that drops all uploads of a deleted bucket. Sweeps remove them page by page.
 */
export const dropBucket = (store: Store, bucketId: string): Change => ({
  put: [tombstone(afterGrace(store), bucketId, 'bucket')],
});

/**
 * The part of a change that drops a separate long list. Requests that are reading it may finish.
 */
export const dropAcl = (store: Store, { aclId }: OwnAcl): Change =>
  aclId === undefined ? {} : { put: [tombstone(afterGrace(store), aclId, 'acl')] };

/** The part of a change that drops an object. */
export function dropObject(store: Store, object: ObjectRecord): Change {
  const { upload, parts } = object;
  const list = upload === undefined || parts === undefined ? {} : partListRecords.delete(upload);
  return mergeChanges(dropContent(store, object.content), dropAcl(store, object), list);
}

/** The part of a change that drops an upload with all its parts. */
export const dropUpload = (store: Store, uploadId: string, upload: UploadRecord): Change => ({
  put: [tombstone(afterGrace(store), uploadId, 'upload'), ...(dropAcl(store, upload).put ?? [])],
});

/**
 * The part of a change that lets a sweep remove the result of an upload after a number of
 * milliseconds.
 */
export const forgetCompletion = (store: Store, uploadId: string, after: number): Change => ({
  put: [tombstone(store.now() + after, uploadId, 'completed')],
});
