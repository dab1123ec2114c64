import { isPublic } from '../engine/access/acl.js';
import { knownGrants } from '../engine/buckets/settings.js';
import { action } from './action.js';

/** Whether the access control list of a bucket grants anything to everyone or to every user. */
export const getBucketPolicyStatus = action({
  name: 'GetBucketPolicyStatus',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  isRead: true,
  takes: 'nothing',
  parameters: {},

  async run({ store, permit: { bucket } }) {
    const { objectOwnership, publicAccessBlock } = bucket.record;
    const ignoresPublic = publicAccessBlock?.ignorePublicAcls || store.settings.blockPublicAccess;
    if (ignoresPublic || objectOwnership === 'BucketOwnerEnforced') return { isPublic: false };
    const grants = await knownGrants(store, bucket);
    return {
      isPublic: grants.some(({ effect, grantee }) => effect !== 'Deny' && grantee.some(isPublic)),
    };
  },
});
