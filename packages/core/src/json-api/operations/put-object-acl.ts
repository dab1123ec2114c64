import { putObjectAcl as action } from '../../actions/put-object-acl.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';
import { accessControlList, aclBody, objectAclHeaders, requireOneWay } from '../grants.js';

export const putObjectAcl = operation(action, {
  route: { method: 'PUT', query: ['acl'] },
  body: aclBody,
  input: { ...objectAclHeaders, accessControlList },
  check: ({ acl, grantRead, grantFullControl, accessControlList }) =>
    requireOneWay([acl, grantRead, grantFullControl], accessControlList),
  respond: () => empty(200),
});
