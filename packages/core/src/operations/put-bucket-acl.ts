import { writeSetting } from '../engine/buckets/settings.js';
import { aclBody, bucketAclHeader, bucketAclOf, bucketGrants, oneWay } from '../http/acl-input.js';
import { requireOwnResources } from '../http/members.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';

/** Says who may do what with a bucket, in the place of what was said before. */
export const putBucketAcl = operation({
  name: 'PutBucketAcl',
  route: { method: 'PUT', on: 'bucket', query: ['acl'] },
  permission: 'FULL_CONTROL',
  takes: 'json',
  json: aclBody,
  input: { ...bucketAclHeader, accessControlList: bucketGrants },

  run({ store, bucket, permit, input }) {
    const about = (input.accessControlList ?? []).flatMap(({ resource = [], notResource = [] }) => [
      ...resource,
      ...notResource,
    ]);
    requireOwnResources(about, bucket.name);
    const canned = input.acl && bucketAclOf(input.acl, bucket.record.owner);
    return writeSetting(store, permit, 'acl', oneWay(canned, input.accessControlList));
  },

  respond: () => empty(200),
});
