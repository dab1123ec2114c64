import { writeSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';
import { corsRules } from './parameters/cors-rules.js';

/** Says which pages on other origins may use a bucket, in the place of what was said before. */
export const putBucketCors = action({
  name: 'PutBucketCors',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: { corsConfiguration: corsRules },

  run: ({ store, permit, input }) => writeSetting(store, permit, 'cors', input.corsConfiguration),
});
