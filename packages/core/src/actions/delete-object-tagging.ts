import { setObjectTags } from '../engine/objects/objects.js';
import { action } from './action.js';

/** Removes the tags of an object. It is not an error if there were none. */
export const deleteObjectTagging = action({
  name: 'DeleteObjectTagging',
  on: 'object',
  permission: 'FULL_CONTROL',
  usesObject: true,
  takes: 'nothing',
  parameters: {},

  async run({ store, permit, key }) {
    await setObjectTags(store, permit, key, []);
  },
});
