import { editObject } from '../engine/objects/objects.js';
import { aclBody, objectAclHeaders, objectAclOf, objectGrants, oneWay } from '../http/acl-input.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';

/** Says who may read an object. Where it is read, this takes the place of the bucket's list. */
export const putObjectAcl = operation({
  name: 'PutObjectAcl',
  route: { method: 'PUT', on: 'object', query: ['acl'] },
  permission: 'FULL_CONTROL',
  takes: 'json',
  json: aclBody,
  input: { ...objectAclHeaders, accessControlList: objectGrants },

  async run({ store, permit, key, input }) {
    const acl = oneWay(objectAclOf(input), input.accessControlList);
    await editObject(store, permit, key, async ({ aclId: _, ...record }) => ({
      ...record,
      acl,
    }));
  },

  respond: () => empty(200),
});
