import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { editObject } from '../model/objects.js';

/** Takes an object's own list away: the list of its bucket holds again. */
export const deleteObjectAcl = operation({
  name: 'DeleteObjectAcl',
  route: { method: 'DELETE', on: 'object', query: ['acl'] },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  async run({ store, bucket, key, confirm }) {
    await editObject(store, bucket.name, key, async (record) => {
      await confirm(record);
      const { acl: _, ...rest } = record;
      return rest;
    });
  },

  respond: () => empty(204),
});
