import { createBucket } from '../engine/buckets/create.js';
import { StorageError } from '../errors.js';
import { action } from './action.js';
import { bucketAcl, bucketAclOf, bucketGrants, oneWay } from './parameters/grants.js';
import { grantsToOthers, objectOwnership } from './parameters/ownership.js';
import { requireOwnGrants } from './parameters/resources.js';
import { bucketTags, tagsOf } from './parameters/tags.js';

/**
 * Creates a bucket that belongs to the caller. Throws BucketAlreadyExists if the name is taken,
 * whoever owns that bucket, unless the conventions let owners create their buckets again.
 * Throws InvalidBucketName, and TooManyBuckets when the caller owns the maximum number.
 */
export const putBucket = action({
  name: 'PutBucket',
  on: 'new bucket',
  permission: 'CREATE',
  setsAcl: 'PutBucketAcl',
  takes: 'nothing',
  parameters: { ...bucketAcl, accessControlList: bucketGrants, tags: bucketTags, objectOwnership },

  async run(call) {
    const { store, bucketName, input, principal: owner, actor, conventions } = call;
    if (owner === undefined) throw new StorageError('AccessDenied');
    const { accessControlList: list } = input;
    const canned = input.acl && bucketAclOf(input.acl, owner);
    const acl = canned === undefined && list === undefined ? undefined : oneWay(canned, list);
    if (list !== undefined) requireOwnGrants(list, bucketName);
    if (input.objectOwnership !== undefined && grantsToOthers(acl ?? [], owner)) {
      throw new StorageError('InvalidBucketAclWithObjectOwnership');
    }
    const bucket = {
      ...{ name: bucketName, owner, acl },
      tags: tagsOf(input),
      objectOwnership: input.objectOwnership,
      again: conventions.recreatesBuckets,
    };
    await createBucket(store, actor, bucket, { signal: () => call.signal() });
  },
});
