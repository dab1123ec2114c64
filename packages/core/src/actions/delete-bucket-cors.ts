import { writeSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';

/** Takes the CORS rules away. That there were none is no error. */
export const deleteBucketCors = action({
  name: 'DeleteBucketCors',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: {},

  run: ({ store, permit }) => writeSetting(store, permit, 'cors', undefined),
});
