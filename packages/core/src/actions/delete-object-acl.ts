import { setObjectAcl } from '../engine/objects/objects.js';
import { action } from './action.js';

/** Takes an object's own list away: the list of its bucket holds again. */
export const deleteObjectAcl = action({
  name: 'DeleteObjectAcl',
  on: 'object',
  permission: 'FULL_CONTROL',
  usesObject: true,
  takes: 'nothing',
  parameters: {},

  run: ({ store, permit, key }) => setObjectAcl(store, permit, key, undefined),
});
