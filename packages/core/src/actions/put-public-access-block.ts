import { editBucket } from '../engine/buckets/settings.js';
import { action } from './action.js';
import { publicAccessBlock } from './parameters/public-access-block.js';

/** Forbids public access to a bucket and its objects. Replaces the previous block. */
export const putPublicAccessBlock = action({
  name: 'PutPublicAccessBlock',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: { publicAccessBlock },

  run: ({ store, permit, input }) => editBucket(store, permit, input),
});
