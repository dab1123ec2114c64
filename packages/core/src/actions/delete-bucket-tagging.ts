import { writeSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';

/** Removes the tags of a bucket. It is not an error if there were none. */
export const deleteBucketTagging = action({
  name: 'DeleteBucketTagging',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: {},

  run: ({ store, permit }) => writeSetting(store, permit, 'tags', undefined),
});
