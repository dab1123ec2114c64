import { requireSetting } from '../engine/buckets/settings.js';
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
  takes: 'nothing',
  parameters: {},

  run: async ({ store, bucket }) => ({
    rule: (await requireSetting(store, bucket, 'lifecycle', 'NoLifecycleConfiguration')).map(
      toBucketLifecycleRule,
    ),
  }),
});
