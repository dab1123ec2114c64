import type { Permission, Principal } from '../contracts/principal.js';
import type { BucketRecord } from './records.js';

/** The default rule: a bucket's owner may do all; everyone who is not anonymous may create one. */
export function isAllowed(
  permission: Permission,
  bucket: BucketRecord | undefined,
  principal: Principal | undefined,
): boolean {
  if (principal === undefined) return false;
  if (bucket === undefined) return permission === 'CREATE' || permission === 'LIST';
  return isSame(bucket.owner, principal);
}

/** User ids need to be unique only within their tenant. */
const isSame = (a: Principal, b: Principal): boolean =>
  a.tenantId === b.tenantId && a.userId === b.userId;
