import { editBucket } from '../engine/buckets/settings.js';
import { action } from './action.js';

/** Access control lists have an effect again. It is not an error if they had. */
export const deleteBucketOwnershipControls = action({
  name: 'DeleteBucketOwnershipControls',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: {},

  run: ({ store, permit }) => editBucket(store, permit, { objectOwnership: undefined }),
});
