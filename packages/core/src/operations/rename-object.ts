import { StorageError } from '../errors.js';
import { renameSource } from '../http/copy-source.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { renameObject as rename } from '../model/objects.js';

/**
 * Gives an object another key of the same bucket, in one commit: nobody sees both names or none.
 * Bytes, type, metadata and time stay; an object that has the new key is replaced.
 */
export const renameObject = operation({
  name: 'RenameObject',
  route: { method: 'POST', on: 'object', headers: ['x-svc-rename-key'] },
  permission: 'WRITE',
  takes: 'nothing',
  input: renameSource,

  async run({ store, bucketName: bucket, key, input, source }) {
    await source('WRITE', { bucket, key: input.from });
    if (!(await rename(store, bucket, input.from, key))) throw new StorageError('NoSuchKey');
  },

  respond: () => empty(200),
});
