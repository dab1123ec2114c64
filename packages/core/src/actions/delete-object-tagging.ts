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

  async run(call) {
    const { store, permit, key } = call;
    // A lifecycle rule may delete objects by their tags.
    await call.needs('WRITE');
    await setObjectTags(store, permit, key, []);
  },
});
