import { putBucketAcl as action } from '../../actions/put-bucket-acl.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';
import { aclBody, bucketAclHeader, readGrants, requireOneWay } from '../grants.js';
import { member } from '../json-body.js';

export const putBucketAcl = operation(action, {
  route: { method: 'PUT', query: ['acl'] },
  body: aclBody,
  input: { ...bucketAclHeader, accessControlList: member('accessControlList', readGrants) },
  check: ({ acl, accessControlList }) => requireOneWay([acl], accessControlList),
  respond: () => empty(200),
});
