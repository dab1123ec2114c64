import { setObjectTags } from '../engine/objects/objects.js';
import { action } from './action.js';
import { objectTags } from './parameters/tags.js';

/** Sets the tags of an object. Replaces the previous ones; data and time stay the same. */
export const putObjectTagging = action({
  name: 'PutObjectTagging',
  on: 'object',
  permission: 'FULL_CONTROL',
  usesObject: true,
  takes: 'nothing',
  parameters: { tags: objectTags.required() },

  async run(call) {
    const { store, permit, key, input } = call;
    // A lifecycle rule may delete objects by their tags.
    await call.needs('WRITE');
    await setObjectTags(store, permit, key, input.tags);
  },
});
