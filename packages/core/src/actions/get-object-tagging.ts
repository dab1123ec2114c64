import { readObject } from '../engine/objects/objects.js';
import { action } from './action.js';
import { shownTags } from './parameters/tags.js';

/** The tags of an object; empty if it has none. */
export const getObjectTagging = action({
  name: 'GetObjectTagging',
  on: 'object',
  permission: 'FULL_CONTROL',
  isRead: true,
  usesObject: true,
  takes: 'nothing',
  parameters: {},

  run: async ({ permit, key }) => ({ tags: shownTags((await readObject(permit, key)).tags) }),
});
