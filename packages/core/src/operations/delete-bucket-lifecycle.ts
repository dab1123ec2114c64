import { writeSetting } from '../engine/buckets/settings.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';

/** Takes the lifecycle rules away. That there were none is no error. */
export const deleteBucketLifecycle = operation({
  name: 'DeleteBucketLifecycle',
  route: { method: 'DELETE', on: 'bucket', query: ['lifecycle'] },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  run: ({ store, permit }) => writeSetting(store, permit, 'lifecycle', undefined),

  respond: () => empty(204),
});
