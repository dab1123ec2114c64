import { StorageError } from '../errors.js';
import { action } from './action.js';

/**
 * The ownership setting of a bucket whose access control lists have no effect. Throws
 * NoSuchOwnershipControls when they have one.
 */
export const getBucketOwnershipControls = action({
  name: 'GetBucketOwnershipControls',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  isRead: true,
  takes: 'nothing',
  parameters: {},

  async run({ permit }) {
    const { objectOwnership } = permit.bucket.record;
    if (objectOwnership === undefined) throw new StorageError('NoSuchOwnershipControls');
    return { objectOwnership };
  },
});
