import { writeSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';

/** Takes the lifecycle rules away. That there were none is no error. */
export const deleteBucketLifecycle = action({
  name: 'DeleteBucketLifecycle',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: {},

  run: ({ store, permit }) => writeSetting(store, permit, 'lifecycle', undefined),
});
