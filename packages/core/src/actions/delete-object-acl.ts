import { setObjectAcl } from '../engine/objects/objects.js';
import { action } from './action.js';

/** Deletes an object's own access control list: that of its bucket applies again. */
export const deleteObjectAcl = action({
  name: 'DeleteObjectAcl',
  on: 'object',
  permission: 'FULL_CONTROL',
  usesObject: true,
  takes: 'nothing',
  parameters: {},

  run: ({ store, permit, key }) => setObjectAcl(store, permit, key, undefined),
});
