import { readAcl } from '../engine/objects/object-acl.js';
import { readObject } from '../engine/objects/objects.js';
import { StorageError } from '../errors.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';

/** The access control list of an object, when it has one of its own. */
export const getObjectAcl = operation({
  name: 'GetObjectAcl',
  route: { method: 'GET', on: 'object', query: ['acl'] },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  async run({ store, permit, key }) {
    const record = await readObject(store, permit, key);
    const accessControlList = await readAcl(store, record);
    if (accessControlList === undefined) throw new StorageError('ObjectAclNotExists');
    return { accessControlList };
  },

  respond: (result) => json(200, result),
});
