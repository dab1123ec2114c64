import { editBucket } from '../engine/buckets/settings.js';
import { action } from './action.js';

/** Removes the public access block of a bucket. It is not an error if there was none. */
export const deletePublicAccessBlock = action({
  name: 'DeletePublicAccessBlock',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: {},

  run: ({ store, permit }) => editBucket(store, permit, { publicAccessBlock: undefined }),
});
