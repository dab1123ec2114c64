import { readAcl } from '../engine/objects/object-acl.js';
import { readObject } from '../engine/objects/objects.js';
import { StorageError } from '../errors.js';
import { action } from './action.js';

/** The access control list of an object. Throws ObjectAclNotExists when it has none of its own. */
export const getObjectAcl = action({
  name: 'GetObjectAcl',
  on: 'object',
  permission: 'FULL_CONTROL',
  isRead: true,
  isLong: true,
  usesObject: true,
  takes: 'nothing',
  parameters: {},

  async run({ store, permit, key }) {
    const record = await readObject(permit, key);
    const accessControlList = await readAcl(store, record);
    if (accessControlList === undefined) throw new StorageError('ObjectAclNotExists');
    return { accessControlList };
  },
});
