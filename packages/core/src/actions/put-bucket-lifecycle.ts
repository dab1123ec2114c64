import { writeSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';
import { lifecycleRules } from './parameters/lifecycle-rules.js';
import { requireOwnResources } from './parameters/resources.js';

/** Sets the lifecycle rules of a bucket. Replaces the previous rules. */
export const putBucketLifecycle = action({
  name: 'PutBucketLifecycle',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: { rule: lifecycleRules },

  run({ store, bucket, permit, input: { rule } }) {
    requireOwnResources(
      rule.flatMap(({ resource }) => resource),
      bucket.name,
    );
    return writeSetting(store, permit, 'lifecycle', rule);
  },
});
