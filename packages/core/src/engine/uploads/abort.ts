import { type Admitted, expectBucket } from '../buckets/buckets.js';
import { dropUpload } from '../garbage/tombstones.js';
import { uploadRecords } from '../records/uploads.js';
import type { Store } from '../store.js';
import { mergeChanges, transact } from '../transaction.js';
import { releaseUpload } from './upload-limit.js';
import { recordId, requireUpload } from './uploads.js';

/** Ends an upload without creating an object. Throws NoSuchUpload. */
export async function abortUpload(
  store: Store,
  admitted: Admitted,
  { key, uploadId }: { readonly key: string; readonly uploadId: string },
): Promise<void> {
  const bucketId = await transact(store, admitted, async () => {
    const bucket = await admitted.current();
    const name = { bucket, key, uploadId };
    const { version, record } = await requireUpload(store, name);
    const change = mergeChanges(
      expectBucket(bucket),
      uploadRecords.expect(recordId(name), version),
      uploadRecords.delete(recordId(name)),
      dropUpload(store, uploadId, record),
    );
    return { change, result: bucket.id };
  });
  releaseUpload(store, bucketId);
}
