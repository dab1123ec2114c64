import { setObjectAcl } from '../engine/objects/objects.js';
import { action } from './action.js';
import { objectAcl, objectAclOf, objectGrants, oneWay } from './parameters/grants.js';

/**
 * Sets the access control list of an object. For reading the object, it replaces the bucket's list.
 */
export const putObjectAcl = action({
  name: 'PutObjectAcl',
  on: 'object',
  permission: 'FULL_CONTROL',
  usesObject: true,
  takes: 'nothing',
  parameters: { ...objectAcl, accessControlList: objectGrants },

  async run({ store, permit, key, input }) {
    const acl = oneWay(objectAclOf(input), input.accessControlList);
    await setObjectAcl(store, permit, key, acl);
  },
});
