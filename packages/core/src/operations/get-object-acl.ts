import { StorageError } from '../errors.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';
import { findObject } from '../model/objects.js';

/** The access control list of an object, when it has one of its own. */
export const getObjectAcl = operation({
  name: 'GetObjectAcl',
  route: { method: 'GET', on: 'object', query: ['acl'] },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  async run({ store, bucket, key, confirm }) {
    const record = await findObject(store, bucket.name, key);
    if (record === undefined) throw new StorageError('NoSuchKey');
    await confirm(record);
    if (record.acl === undefined) throw new StorageError('ObjectAclNotExists');
    return { accessControlList: record.acl };
  },

  respond: (result) => json(200, result),
});
