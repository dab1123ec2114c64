import { removeObject } from '../engine/objects/objects.js';
import { action } from './action.js';
import { deleteConditions, isConditional, requireWritable } from './parameters/conditions.js';

/**
 * Deletes an object. Deleting an object that does not exist is an error: NoSuchKey. Conditions are
 * checked against the record that is removed.
 */
export const deleteObject = action({
  name: 'DeleteObject',
  on: 'object',
  permission: 'WRITE',
  removes: true,
  usesObject: true,
  takes: 'nothing',
  parameters: deleteConditions,

  async run(call) {
    const { store, permit, key, input } = call;
    // Nothing is created here, so any condition would only reveal what is stored.
    if (isConditional(input)) await call.needs('READ');
    await removeObject(store, permit, key, (existing) => requireWritable(input, existing));
  },
});
