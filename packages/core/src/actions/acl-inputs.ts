import { isPublic } from '../engine/access/acl.js';
import type { Bucket } from '../engine/buckets/buckets.js';
import type { Grant, Grantee } from '../engine/records/acls.js';
import type { Store } from '../engine/store.js';
import { StorageError } from '../errors.js';
import { grantsToOthers } from './parameters/ownership.js';

function requireLists({ record }: Bucket, input: object): void {
  if (record.objectOwnership !== 'BucketOwnerEnforced') return;
  const { acl = 'private', grantRead, grantFullControl, accessControlList } = input as AclInputs;
  const grants = accessControlList ?? [];
  const isPrivate = acl === 'private' && grantRead === undefined && grantFullControl === undefined;
  if (isPrivate && !grantsToOthers(grants, record.owner)) return;
  throw new StorageError('AccessControlListNotSupported');
}

/**
 * Throws AccessDenied for a public list if the storage or the bucket blocks those, and
 * AccessControlListNotSupported for a list that would have no effect.
 */
export function requireAllowedList(
  { settings }: Store,
  bucket: Bucket | undefined,
  input: object,
): void {
  if (bucket !== undefined) requireLists(bucket, input);
  const blocks =
    settings.blockPublicAccess || bucket?.record.publicAccessBlock?.blockPublicAcls === true;
  if (!blocks || !setsPublic(input)) return;
  const message = 'Public access is blocked. Grant access to users instead of everyone.';
  throw new StorageError('AccessDenied', message);
}

/** Whether the input grants something to everyone, or to every user. */
function setsPublic(input: object): boolean {
  const { acl, grantRead, grantFullControl, accessControlList } = input as AclInputs;
  const grants = (accessControlList ?? []).filter(({ effect }) => effect !== 'Deny');
  const grantees = [
    grantRead ?? [],
    grantFullControl ?? [],
    ...grants.map((grant) => grant.grantee),
  ];
  return acl?.startsWith('public') === true || grantees.flat().some(isPublic);
}

/** Whether an access control list is given. */
export function setsAList(input: object): boolean {
  const { acl, grantRead, grantFullControl, accessControlList } = input as AclInputs;
  const given = acl ?? grantRead ?? grantFullControl ?? accessControlList;
  return given !== undefined;
}

/** The inputs that set an access control list. */
interface AclInputs {
  readonly acl?: string;
  readonly grantRead?: readonly Grantee[];
  readonly grantFullControl?: readonly Grantee[];
  readonly accessControlList?: readonly Grant[];
}
