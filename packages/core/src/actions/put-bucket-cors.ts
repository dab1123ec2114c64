import { writeSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';
import { corsRules } from './parameters/cors-rules.js';

/** Sets which pages of other origins may use a bucket. Replaces the previous rules. */
export const putBucketCors = action({
  name: 'PutBucketCors',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: { corsConfiguration: corsRules },

  run: ({ store, permit, input }) => writeSetting(store, permit, 'cors', input.corsConfiguration),
});
