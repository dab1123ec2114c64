import { requireSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';

/** The CORS rules of a bucket. Throws NoSuchCORSConfiguration when it has none. */
export const getBucketCors = action({
  name: 'GetBucketCors',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  isRead: true,
  isLong: true,
  takes: 'nothing',
  parameters: {},

  run: async ({ store, bucket }) => ({
    corsConfiguration: await requireSetting(store, bucket, 'cors', 'NoSuchCORSConfiguration'),
  }),
});
