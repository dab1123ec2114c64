import { removeObject } from '../engine/objects/objects.js';
import { isConditional, removeConditions, requireWritable } from '../http/conditions.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';

/**
 * Deletes an object. To delete what does not exist is an error: NoSuchKey. The conditions are about
 * the very record that is removed.
 */
export const deleteObject = operation({
  name: 'DeleteObject',
  route: { method: 'DELETE', on: 'object' },
  permission: 'WRITE',
  takes: 'nothing',
  input: removeConditions,

  async run({ store, permit, needs, key, input, announce }) {
    // Nothing is made here, so that any condition would only tell what is there.
    if (isConditional(input)) await needs('READ');
    await removeObject(store, permit, key, (existing) => requireWritable(input, existing));
    announce('object:removed', { key });
  },

  respond: () => empty(204),
});
