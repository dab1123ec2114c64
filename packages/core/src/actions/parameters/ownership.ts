import type { Principal } from '../../contracts/principal.js';
import type { Grant } from '../../engine/records/acls.js';
import { oneOf } from './parameter.js';

/** The only supported ownership setting: the others would make writers the owners of objects. */
export const objectOwnership = oneOf('BucketOwnerEnforced');

/** Whether a list grants something to anyone but the owner. */
export const grantsToOthers = (
  grants: readonly Grant[],
  { userId, tenantId }: Principal,
): boolean =>
  grants.some(
    ({ effect, grantee }) =>
      effect !== 'Deny' &&
      grantee.some((who) => who.id !== userId || (who.tenantId ?? tenantId) !== tenantId),
  );
