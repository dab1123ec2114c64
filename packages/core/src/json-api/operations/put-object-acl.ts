import { putObjectAcl as action } from '../../actions/put-object-acl.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';
import { aclBody, objectAclHeaders, readGrants, requireOneWay } from '../grants.js';
import { member } from '../json-body.js';

export const putObjectAcl = operation(action, {
  route: { method: 'PUT', query: ['acl'] },
  body: aclBody,
  input: { ...objectAclHeaders, accessControlList: member('accessControlList', readGrants) },
  check: ({ acl, grantRead, grantFullControl, accessControlList }) =>
    requireOneWay([acl, grantRead, grantFullControl], accessControlList),
  respond: () => empty(200),
});
