import { writeSetting } from '../engine/buckets/settings.js';
import { lifecycleRules } from '../http/lifecycle-input.js';
import { requireOwnResources } from '../http/members.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { MAX_LIFECYCLE_BODY_BYTES } from '../limits.js';

/** Sets the lifecycle rules of a bucket, in the place of those that were set before. */
export const putBucketLifecycle = operation({
  name: 'PutBucketLifecycle',
  route: { method: 'PUT', on: 'bucket', query: ['lifecycle'] },
  permission: 'FULL_CONTROL',
  takes: 'json',
  // The shortest resource takes seven bytes with its quotes and comma.
  json: {
    maxBytes: MAX_LIFECYCLE_BODY_BYTES,
    maxStructural: Math.floor(MAX_LIFECYCLE_BODY_BYTES / 6),
    tooLarge: 'MaxMessageLengthExceeded',
  },
  input: { rule: lifecycleRules },

  run({ store, bucket, permit, input: { rule } }) {
    requireOwnResources(
      rule.flatMap(({ resource }) => resource),
      bucket.name,
    );
    return writeSetting(store, permit, 'lifecycle', rule);
  },

  respond: () => empty(200),
});
