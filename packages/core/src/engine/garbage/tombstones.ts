import type { Change } from '../../contracts/metadata-store.js';
import type { OwnAcl } from '../records/acls.js';
import type { Content } from '../records/content.js';
import { inlineRecords } from '../records/inline-bytes.js';
import type { ObjectRecord } from '../records/objects.js';
import { type Garbage, tombstoneRecords } from '../records/tombstones.js';
import type { UploadRecord } from '../records/uploads.js';
import type { Store } from '../store.js';

/*
 * At every instant each blob is named by a record or has a tombstone, whatever crashes: the tombstone
 * is there before the blob is written, the commit that makes the blob part of an object takes it
 * away, and the commit that drops the blob puts another.
 */

export const tombstone = (due: number, id: string, kind: Garbage) => ({
  key: tombstoneRecords.key({ due, id }),
  value: kind,
});

/** The part of a change that drops bytes. Downloads that run have `grace` milliseconds to end. */
export function dropContent(
  store: Store,
  content: Content,
  grace = store.settings.readGrace,
): Change {
  if ('inline' in content) return inlineRecords.delete(content.inline);
  const due = store.now() + grace;
  const blobs = new Set(content.segments.map((segment) => segment.blob));
  const put = Array.from(blobs, (blob) => tombstone(due, blob, 'blob'));
  if (content.manifest !== undefined) put.push(tombstone(due, content.manifest, 'manifest'));
  return { put };
}

/** The part of a change that drops all uploads of a deleted bucket: some now, the rest later. */
export const dropBucket = (store: Store, bucketId: string): Change => ({
  put: [tombstone(store.now(), bucketId, 'bucket')],
});

/** The part of a change that drops a long list of its own. Requests that read it now may end. */
export const dropAcl = (store: Store, { aclId }: OwnAcl): Change =>
  aclId === undefined
    ? {}
    : { put: [tombstone(store.now() + store.settings.readGrace, aclId, 'acl')] };

/** The part of a change that drops an object. */
export function dropObject(store: Store, object: ObjectRecord): Change {
  const { put = [], ...bytes } = dropContent(store, object.content);
  return { ...bytes, put: [...put, ...(dropAcl(store, object).put ?? [])] };
}

/** The part of a change that drops an upload with all its parts. */
export const dropUpload = (store: Store, uploadId: string, upload: UploadRecord): Change => ({
  put: [tombstone(store.now(), uploadId, 'upload'), ...(dropAcl(store, upload).put ?? [])],
});

/** The part of a change that forgets the result of an upload after a while. */
export const forgetCompletion = (store: Store, uploadId: string, after: number): Change => ({
  put: [tombstone(store.now() + after, uploadId, 'completed')],
});
