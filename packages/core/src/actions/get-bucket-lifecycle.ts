import { readRules } from '../engine/lifecycle/read-rules.js';
import { StorageError } from '../errors.js';
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

  run: ({ store, bucket }) =>
    readRules(store, bucket, (rules) => {
      if (rules === undefined) throw new StorageError('NoLifecycleConfiguration');
      return { rule: rules.map(toBucketLifecycleRule) };
    }),
});
