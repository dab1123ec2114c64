import { editObject } from '../engine/objects/objects.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';

/** Takes an object's own list away: the list of its bucket holds again. */
export const deleteObjectAcl = operation({
  name: 'DeleteObjectAcl',
  route: { method: 'DELETE', on: 'object', query: ['acl'] },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  async run({ store, permit, key }) {
    await editObject(store, permit, key, async ({ acl: _, aclId: __, ...rest }) => rest);
  },

  respond: () => empty(204),
});
