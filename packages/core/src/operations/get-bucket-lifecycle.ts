import { requireSetting } from '../engine/buckets/settings.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';

/** The lifecycle rules of a bucket, with the ids that were generated. */
export const getBucketLifecycle = operation({
  name: 'GetBucketLifecycle',
  route: { method: 'GET', on: 'bucket', query: ['lifecycle'] },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  run: async ({ store, bucket }) => ({
    rule: await requireSetting(store, bucket, 'lifecycle', 'NoLifecycleConfiguration'),
  }),

  respond: (result) => json(200, result),
});
