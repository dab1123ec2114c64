import { writeSetting } from '../engine/buckets/settings.js';
import { corsRules } from '../http/cors.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { MAX_SETTINGS_BODY_BYTES } from '../limits.js';

/** Says which pages on other origins may use a bucket, in the place of what was said before. */
export const putBucketCors = operation({
  name: 'PutBucketCors',
  route: { method: 'PUT', on: 'bucket', query: ['cors'] },
  permission: 'FULL_CONTROL',
  takes: 'json',
  json: { maxBytes: MAX_SETTINGS_BODY_BYTES, tooLarge: 'EntityTooLarge' },
  input: { corsConfiguration: corsRules },

  run: ({ store, permit, input }) => writeSetting(store, permit, 'cors', input.corsConfiguration),

  respond: () => empty(200),
});
