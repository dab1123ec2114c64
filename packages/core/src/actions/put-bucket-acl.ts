import { writeSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';
import { bucketAcl, bucketAclOf, bucketGrants, oneWay } from './parameters/grants.js';
import { requireOwnGrants } from './parameters/resources.js';

/** Sets the access control list of a bucket. Replaces the previous list. */
export const putBucketAcl = action({
  name: 'PutBucketAcl',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: { ...bucketAcl, accessControlList: bucketGrants },

  run({ store, bucket, permit, input }) {
    requireOwnGrants(input.accessControlList ?? [], bucket.name);
    const canned = input.acl && bucketAclOf(input.acl, bucket.record.owner);
    return writeSetting(store, permit, 'acl', oneWay(canned, input.accessControlList));
  },
});
