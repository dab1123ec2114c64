import { requireSetting } from '../engine/buckets/settings.js';
import { nextTurn } from '../engine/concurrency/yielder.js';
import { action } from './action.js';
import { toBucketLifecycleRule } from './parameters/lifecycle-rules.js';

/**
 * The lifecycle rules of a bucket, including generated ids. Throws NoLifecycleConfiguration when it
 * has none.
 */
export const getBucketLifecycle = action({
  name: 'GetBucketLifecycle',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  isRead: true,
  isLong: true,
  takes: 'nothing',
  parameters: {},

  async run({ store, bucket }) {
    await nextTurn(); // The largest rules take some 10 ms.
    const rules = await requireSetting(store, bucket, 'lifecycle', 'NoLifecycleConfiguration');
    return { rule: rules.map(toBucketLifecycleRule) };
  },
});
