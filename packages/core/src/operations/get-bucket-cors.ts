import { requireSetting } from '../engine/buckets/settings.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';

/** The CORS rules of a bucket. */
export const getBucketCors = operation({
  name: 'GetBucketCors',
  route: { method: 'GET', on: 'bucket', query: ['cors'] },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  run: async ({ store, bucket }) => ({
    corsConfiguration: await requireSetting(store, bucket, 'cors', 'NoSuchCORSConfiguration'),
  }),

  respond: (result) => json(200, result),
});
