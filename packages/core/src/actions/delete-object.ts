import { removeObject } from '../engine/objects/objects.js';
import { action } from './action.js';
import { isConditional, removeConditions, requireWritable } from './parameters/conditions.js';

/**
 * Deletes an object. To delete what does not exist is an error: NoSuchKey. The conditions are about
 * the very record that is removed.
 */
export const deleteObject = action({
  name: 'DeleteObject',
  on: 'object',
  permission: 'WRITE',
  removes: true,
  usesObject: true,
  takes: 'nothing',
  parameters: removeConditions,

  async run(call) {
    const { store, permit, key, input } = call;
    // Nothing is made here, so that any condition would only tell what is there.
    if (isConditional(input)) await call.needs('READ');
    await removeObject(store, permit, key, (existing) => requireWritable(input, existing));
  },
});
