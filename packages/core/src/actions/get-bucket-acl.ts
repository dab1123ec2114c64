import { readSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';
import { bucketAclOf } from './parameters/grants.js';

/** The access control list of a bucket as it was set, or a private one if none was set. */
export const getBucketAcl = action({
  name: 'GetBucketAcl',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  isRead: true,
  isLong: true,
  takes: 'nothing',
  parameters: {},

  async run({ store, bucket }) {
    const { owner } = bucket.record;
    const set = await readSetting(store, bucket, 'acl');
    const accessControlList = set ?? bucketAclOf('private', owner);
    return { owner: { id: owner.userId }, accessControlList };
  },
});
