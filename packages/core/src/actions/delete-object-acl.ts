import { editObject } from '../engine/objects/objects.js';
import { action } from './action.js';

/** Takes an object's own list away: the list of its bucket holds again. */
export const deleteObjectAcl = action({
  name: 'DeleteObjectAcl',
  on: 'object',
  permission: 'FULL_CONTROL',
  usesObject: true,
  takes: 'nothing',
  parameters: {},

  async run({ store, permit, key }) {
    await editObject(store, permit, key, async ({ acl: _, aclId: __, ...rest }) => rest);
  },
});
