import { StorageError } from '../errors.js';
import { removeConditions, requireWritable } from '../http/conditions.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { removeObject } from '../model/objects.js';
import type { ObjectRecord } from '../model/records.js';

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

  async run({ store, bucket, key, input, announce }) {
    const guard = (existing: ObjectRecord) => requireWritable(input, existing);
    if (!(await removeObject(store, bucket.name, key, guard))) throw new StorageError('NoSuchKey');
    announce('object:removed', { key });
  },

  respond: () => empty(204),
});
