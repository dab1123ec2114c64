import { createBucket } from '../engine/buckets/create.js';
import { StorageError } from '../errors.js';
import { action } from './action.js';
import { bucketAcl, bucketAclOf } from './grants.js';

/** Creates a bucket that belongs to the caller. A name that is taken is refused, whoever has it. */
export const putBucket = action({
  name: 'PutBucket',
  on: 'new bucket',
  permission: 'CREATE',
  setsAcl: 'PutBucketAcl',
  takes: 'nothing',
  parameters: bucketAcl,

  async run({ store, bucketName, input, principal: owner, actor }) {
    if (owner === undefined) throw new StorageError('AccessDenied');
    const acl = input.acl && bucketAclOf(input.acl, owner);
    await createBucket(store, actor, { name: bucketName, owner, acl });
  },
});
