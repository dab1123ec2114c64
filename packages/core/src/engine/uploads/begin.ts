import type { Admitted } from '../buckets/buckets.js';
import { keepOpen } from '../buckets/buckets.js';
import { withAclApart } from '../objects/object-acl.js';
import { findObject } from '../objects/objects.js';
import type { BucketRecord } from '../records/buckets.js';
import { type UploadRecord, uploadRecords } from '../records/uploads.js';
import { newId, type Store } from '../store.js';
import { mergeChanges, transact } from '../transaction.js';
import { withinUploadLimit } from './upload-limit.js';

/** The initial properties of an upload. */
export type NewUpload = Omit<UploadRecord, 'initiated' | 'completing' | 'aclId'>;

/**
 * 32 hexadecimal digits that start with the time, so that the ids of one key are sorted by time.
 */
const newUploadId = (now: number): string => now.toString(16).padStart(12, '0') + newId().slice(12);

/**
 * Starts a multipart upload, and returns its id. Throws BucketObjectNumExceeded when the bucket has
 * too many, and OnlyAllowModify.
 */
export function beginUpload(
  store: Store,
  admitted: Admitted,
  key: string,
  draft: (bucket: BucketRecord) => NewUpload,
): Promise<string> {
  return withinUploadLimit(store, admitted, () =>
    transact(store, admitted, async () => {
      const bucket = await admitted.current();
      admitted.mayReplace(await findObject(store, bucket, key));
      const initiated = store.now();
      const uploadId = newUploadId(initiated);
      const id = { bucketId: bucket.id, key, uploadId };
      const made: UploadRecord = { ...draft(bucket.record), initiated, completing: false };
      const { record, change: list } = withAclApart(made);
      const change = mergeChanges(
        keepOpen(bucket),
        uploadRecords.expect(id, undefined),
        uploadRecords.put(id, record),
        list,
      );
      return { change, result: uploadId };
    }),
  );
}
