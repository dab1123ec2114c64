import { deleteBucket as remove } from '../engine/buckets/delete.js';
import { action } from './action.js';

/**
 * Deletes a bucket that contains no objects, with its unfinished uploads. Throws BucketNotEmpty.
 */
export const deleteBucket = action({
  name: 'DeleteBucket',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: {},

  async run({ store, permit }) {
    await remove(store, permit);
  },
});
