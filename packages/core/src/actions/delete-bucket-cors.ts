import { writeSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';

/** Deletes the CORS rules. It is not an error if there were none. */
export const deleteBucketCors = action({
  name: 'DeleteBucketCors',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: {},

  run: ({ store, permit }) => writeSetting(store, permit, 'cors', undefined),
});
