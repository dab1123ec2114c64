import { putBucketAcl as action } from '../../actions/put-bucket-acl.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';
import { accessControlList, aclBody, bucketAclHeader, requireOneWay } from '../grants.js';

export const putBucketAcl = operation(action, {
  route: { method: 'PUT', query: ['acl'] },
  body: aclBody,
  input: { ...bucketAclHeader, accessControlList },
  check: ({ acl, accessControlList }) => requireOneWay([acl], accessControlList),
  respond: () => empty(200),
});
