import { StorageError } from '../errors.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { removeObject } from '../model/objects.js';

/** Deletes an object. To delete what does not exist is an error: NoSuchKey. */
export const deleteObject = operation({
  name: 'DeleteObject',
  route: { method: 'DELETE', on: 'object' },
  permission: 'WRITE',
  takes: 'nothing',
  input: {},

  async run({ store, bucket, key, announce }) {
    if (!(await removeObject(store, bucket.name, key))) throw new StorageError('NoSuchKey');
    announce('object:removed', { key });
  },

  respond: () => empty(204),
});
