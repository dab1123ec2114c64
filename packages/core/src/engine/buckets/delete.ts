import { StorageError } from '../../errors.js';
import { dropBucket } from '../garbage/tombstones.js';
import { bucketRecords } from '../records/buckets.js';
import { objectsOf } from '../records/objects.js';
import { ownedBucketRecords } from '../records/owners.js';
import { settingRecords } from '../records/settings.js';
import type { Store } from '../store.js';
import { mergeChanges, transact } from '../transaction.js';
import { type Admitted, expectBucket } from './buckets.js';

/**
 * Deletes a bucket that contains no objects. The bucket is marked before it is searched: a commit
 * that adds an object or upload clears the mark, and then the search starts again. Its unfinished
 * uploads, of which there may be any number, become unreachable with it; sweeps remove them a page
 * at a time. Throws BucketNotEmpty.
 */
export async function deleteBucket(store: Store, admitted: Admitted): Promise<void> {
  while (!(await markOrRemove(store, admitted)));
  store.knownExpirations.forget(admitted.bucket.id);
}

/** True when the bucket was deleted. */
function markOrRemove(store: Store, admitted: Admitted): Promise<boolean> {
  return transact(store, admitted, async () => {
    const bucket = await admitted.current();
    const { id, name, record } = bucket;
    const objects = await store.metadata.list({ prefix: objectsOf(id), limit: 1 });
    if (objects.length > 0) throw new StorageError('BucketNotEmpty');
    if (!record.closing) {
      const mark = bucketRecords.put(name, { ...record, closing: true });
      return { change: mergeChanges(expectBucket(bucket), mark), result: false };
    }
    const change = mergeChanges(
      expectBucket(bucket),
      bucketRecords.delete(name),
      ownedBucketRecords.delete({ owner: record.owner, bucket: name }),
      ...record.settings.map((setting) => settingRecords[setting].delete(id)),
      dropBucket(store, id),
    );
    const event = { ...admitted.actor, bucket: name, key: '' };
    return { change, events: [{ name: 'bucket:removed', event }], result: true };
  });
}
