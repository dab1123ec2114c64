import type { Principal } from '../../contracts/principal.js';
import type { Grant } from '../../engine/records/acls.js';
import { oneOf } from './parameter.js';

/** The only kind of ownership that can be chosen: others would make writers the owners. */
export const objectOwnership = oneOf('BucketOwnerEnforced');

/** Whether a list grants something to others than the owner. */
export const grantsToOthers = (
  grants: readonly Grant[],
  { userId, tenantId }: Principal,
): boolean =>
  grants.some(
    ({ effect, grantee }) =>
      effect !== 'Deny' &&
      grantee.some((who) => who.id !== userId || (who.tenantId ?? tenantId) !== tenantId),
  );
