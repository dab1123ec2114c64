import type { Permission, Principal } from '../../contracts/principal.js';
import type { Bucket } from '../buckets/buckets.js';
import type { Grant } from '../records/acls.js';
import type { StoreSettings } from '../store.js';
import { isDenied, isGranted, isGrantedSomewhere } from './acl.js';

/** The access that a caller requests. */
export interface AccessRequest {
  readonly permission: Permission;
  /** `undefined` if the bucket does not exist yet, or if the request is not about a bucket. */
  readonly bucket: Bucket | undefined;
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly principal: Principal | undefined;
  /**
   * Whether the object is moved to another key. Callers who may not read it must not move it to a
   * key at which they may.
   */
  readonly moves?: boolean;
  /** Whether the object is deleted. */
  readonly removes?: boolean | undefined;
}

/** What a decision depends on, apart from the request. */
export interface AccessLists {
  /** The list of the bucket; empty if it has none. */
  readonly grants: readonly Grant[];
  /** The object's own list, if there is one and it applies. */
  readonly own?: readonly Grant[] | undefined;
  /** The settings of the storage. */
  readonly settings: Pick<StoreSettings, 'uniqueUserIds' | 'blockPublicAccess'>;
}

/** `replace`: allowed, but only if an object exists; `add`: only if none exists. */
export type Decision = 'yes' | 'replace' | 'add' | 'no';

/**
 * The default rule: the owner may do everything, other callers what is granted to them, and
 * anonymous callers what is granted to `*`. Every caller who is not anonymous may create buckets
 * and list their own.
 */
export function decide(request: AccessRequest, lists: AccessLists): Decision {
  const { permission, bucket, principal } = request;
  if (bucket === undefined) return principal === undefined ? 'no' : 'yes';
  if (isOwner(bucket, principal)) return 'yes';
  if (isOwnerOnly(bucket)) return 'no';

  const question = questionOf(bucket, request, lists);
  const granted = (grants: readonly Grant[], wanted: string): boolean =>
    isGranted(grants, { ...question, permission: wanted });
  const denied = (wanted: string): boolean =>
    isDenied(lists.grants, { ...question, permission: wanted });

  if (request.moves) {
    const readable = decide({ ...request, permission: 'READ', moves: false }, lists);
    if (readable !== 'yes' || denied('READ')) return 'no';
  }
  const { own } = lists;
  if (own !== undefined && permission === 'READ') return granted(own, 'READ') ? 'yes' : 'no';
  // An object's own list replaces the bucket's list only for reading the object.
  if (denied(permission)) return 'no';
  if (permission !== 'WRITE') {
    return granted(lists.grants, permission) || (own && granted(own, permission)) ? 'yes' : 'no';
  }
  // The right to write to a key does not depend on the list of the existing object.
  if (!granted(lists.grants, 'WRITE')) return granted(lists.grants, 'MODIFY') ? 'replace' : 'no';
  if (!denied('MODIFY')) return 'yes';
  return request.moves || request.removes ? 'no' : 'add';
}

/** Whether the default rule allows this for any object at all. */
export function decideForSome(request: AccessRequest, lists: AccessLists): boolean {
  const { bucket, principal, permission } = request;
  if (bucket === undefined || isOwner(bucket, principal)) return true;
  if (isOwnerOnly(bucket)) return false;
  const question = { ...questionOf(bucket, request, lists), permission };
  return isGrantedSomewhere(lists.grants, question);
}

function questionOf(
  bucket: Bucket,
  { principal, key }: AccessRequest,
  { settings: { uniqueUserIds, blockPublicAccess } }: AccessLists,
) {
  const { owner, publicAccessBlock } = bucket.record;
  const blocksPublic = blockPublicAccess || publicAccessBlock?.ignorePublicAcls === true;
  return { principal, resource: `${bucket.name}/${key}`, owner, uniqueUserIds, blocksPublic };
}

/** Whether access control lists have no effect in the bucket, so that only its owner has rights. */
const isOwnerOnly = ({ record }: Bucket): boolean =>
  record.objectOwnership === 'BucketOwnerEnforced';

export const isOwner = ({ record }: Bucket, principal: Principal | undefined): boolean =>
  principal !== undefined &&
  record.owner.tenantId === principal.tenantId &&
  record.owner.userId === principal.userId;
