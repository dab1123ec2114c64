import { writeSetting } from '../engine/buckets/settings.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';

/** Takes the CORS rules away. That there were none is no error. */
export const deleteBucketCors = operation({
  name: 'DeleteBucketCors',
  route: { method: 'DELETE', on: 'bucket', query: ['cors'] },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  run: ({ store, permit }) => writeSetting(store, permit, 'cors', undefined),

  respond: () => empty(204),
});
