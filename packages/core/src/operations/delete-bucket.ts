import { deleteBucket as remove } from '../engine/buckets/delete.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';

/** Deletes a bucket that holds no object, with its unfinished uploads. */
export const deleteBucket = operation({
  name: 'DeleteBucket',
  route: { method: 'DELETE', on: 'bucket' },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  async run({ store, permit, announce }) {
    await remove(store, permit);
    announce('bucket:removed', { key: '' });
  },

  respond: () => empty(204),
});
