import { withObject } from '../engine/objects/objects.js';
import { action } from './action.js';
import { knownOf } from './known-of-object.js';
import { readConditions, requireReadable } from './parameters/conditions.js';
import { optionalPartNumber, rangeOf, wantedPart } from './parameters/object-part.js';
import { StoredObject } from './stored-object.js';

/**
 * The properties of an object, as in GetObject, without the data. Throws NoSuchKey, and NotModified
 * or PreconditionFailed when a condition does not hold.
 */
export const getObjectMeta = action({
  name: 'GetObjectMeta',
  on: 'object',
  permission: 'READ',
  readsObject: true,
  isRead: true,
  usesObject: true,
  takes: 'nothing',
  parameters: { ...readConditions, partNumber: optionalPartNumber },

  run(call) {
    const { store, permit, key, input } = call;
    return withObject(permit, key, async (record) => {
      requireReadable(input, record);
      const part = await wantedPart(store, record, input);
      const range = part && rangeOf(part, record);
      const found = knownOf(call, record);
      const known = found instanceof Promise ? await found : found;
      return new StoredObject(key, record, { range, part, ...known });
    });
  },
});
