import { writeSetting } from '../engine/buckets/settings.js';
import { StorageError } from '../errors.js';
import { MAX_LIFECYCLE_RESOURCES } from '../limits.js';
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
    const resources = rule.flatMap(({ resource }) => resource);
    if (resources.length > MAX_LIFECYCLE_RESOURCES) {
      const message =
        `The rules have ${resources.length} resources in total. A bucket may have at most ` +
        `${MAX_LIFECYCLE_RESOURCES}: use fewer, shorter prefixes.`;
      throw new StorageError('InvalidArgument', message);
    }
    requireOwnResources(resources, bucket.name);
    return writeSetting(store, permit, 'lifecycle', rule);
  },
});
