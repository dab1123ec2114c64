import type { Bucket } from '../buckets/buckets.js';
import { readSetting } from '../buckets/settings.js';
import { callerId } from '../concurrency/caller-id.js';
import { nextTurn } from '../concurrency/yielder.js';
import type { BucketSettings } from '../records/settings.js';
import type { Store } from '../store.js';

/**
 * Reads the lifecycle rules of a bucket, and passes them to `use`. For the largest rules this takes
 * some 15 ms of the main thread, so it happens for one bucket of each owner at a time, with pauses
 * for other work.
 */
export function readRules<T>(
  store: Store,
  bucket: Bucket,
  use: (rules: BucketSettings['lifecycle'] | undefined) => T,
): Promise<T> {
  return store.prepareLimit.run(callerId(bucket.record.owner), async () => {
    await nextTurn();
    return use(await readSetting(store, bucket, 'lifecycle'));
  });
}
