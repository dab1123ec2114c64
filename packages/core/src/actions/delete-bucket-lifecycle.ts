import { writeSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';

/** Deletes the lifecycle rules. It is not an error if there were none. */
export const deleteBucketLifecycle = action({
  name: 'DeleteBucketLifecycle',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: {},

  run: ({ store, permit }) => writeSetting(store, permit, 'lifecycle', undefined),
});
