import { readSetting } from '../engine/buckets/settings.js';
import { bucketAclOf } from '../http/acl-input.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';

/** The access control list of a bucket as it was set; a private one when none was. */
export const getBucketAcl = operation({
  name: 'GetBucketAcl',
  route: { method: 'GET', on: 'bucket', query: ['acl'] },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  async run({ store, bucket }) {
    const { owner } = bucket.record;
    const set = await readSetting(store, bucket, 'acl');
    const accessControlList = set ?? bucketAclOf('private', owner);
    return { owner: { id: owner.userId }, accessControlList };
  },

  respond: (result) => json(200, result),
});
