import { editBucket, knownGrants } from '../engine/buckets/settings.js';
import { StorageError } from '../errors.js';
import { action } from './action.js';
import { grantsToOthers, objectOwnership } from './parameters/ownership.js';

/**
 * Disables all access control lists of a bucket and its objects. Throws
 * InvalidBucketAclWithObjectOwnership when the bucket's own list is not private.
 */
export const putBucketOwnershipControls = action({
  name: 'PutBucketOwnershipControls',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: { objectOwnership: objectOwnership.required() },

  run: ({ store, permit, input }) =>
    editBucket(store, permit, input, async (bucket) => {
      const grants = await knownGrants(store, bucket);
      if (!grantsToOthers(grants, bucket.record.owner)) return;
      throw new StorageError('InvalidBucketAclWithObjectOwnership');
    }),
});
