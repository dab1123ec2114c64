import { editBucket } from '../engine/buckets/settings.js';
import { action } from './action.js';

/** Lets access control lists have an effect again. It is not an error if they already have one. */
export const deleteBucketOwnershipControls = action({
  name: 'DeleteBucketOwnershipControls',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: {},

  run: ({ store, permit }) => editBucket(store, permit, { objectOwnership: undefined }),
});
