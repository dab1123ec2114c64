import type { Permission, Principal } from '../contracts/principal.js';
import { type Grant, isDenied, isGranted } from './acl.js';
import type { Bucket } from './buckets.js';
import type { ObjectRecord } from './records.js';
import { readSetting } from './settings.js';
import type { Store } from './store.js';

/** What a caller wants to do with a bucket or object. */
export interface Wish {
  readonly permission: Permission;
  /** Undefined: nothing that exists yet. */
  readonly bucket: Bucket | undefined;
  readonly key: string;
  readonly principal: Principal | undefined;
  /** The object leaves its place: who may not read it must not bring it to where they may. */
  readonly moves?: boolean;
}

/** What the default rule says. `modify`: yes, but only where an object exists already. */
export type Verdict = 'yes' | 'modify' | 'no';

/**
 * The default rule: the owner may do all, others what is granted to them, anonymous callers what
 * is granted to `*`. Everyone who is not anonymous may create buckets and list their own.
 */
export async function judge(
  store: Store,
  wish: Wish,
  object?: ObjectRecord | undefined,
): Promise<Verdict> {
  const { permission, bucket, key, principal } = wish;
  if (bucket === undefined) {
    const own = permission === 'CREATE' || permission === 'LIST';
    return principal !== undefined && own ? 'yes' : 'no';
  }
  if (isOwner(bucket, principal)) return 'yes';

  if (wish.moves) {
    const readable = await judge(store, { ...wish, permission: 'READ', moves: false }, object);
    if (readable !== 'yes') return 'no';
  }

  const resource = `${bucket.name}/${key}`;
  const userId = principal?.userId;
  const granted = (grants: readonly Grant[], wanted: string): boolean =>
    isGranted(grants, { userId, permission: wanted, resource });
  const owned = object?.acl;
  if (owned !== undefined && permission === 'READ') return granted(owned, 'READ') ? 'yes' : 'no';
  if (owned !== undefined && granted(owned, permission)) return 'yes';
  if (!bucket.record.settings.includes('acl')) return 'no';
  const grants = (await readSetting(store, bucket.name, 'acl')) ?? [];
  if (granted(grants, permission)) return 'yes';
  const refused = isDenied(grants, { userId, permission, resource });
  return permission === 'WRITE' && !refused && granted(grants, 'MODIFY') ? 'modify' : 'no';
}

export const isOwner = ({ record }: Bucket, principal: Principal | undefined): boolean =>
  principal !== undefined &&
  record.owner.tenantId === principal.tenantId &&
  record.owner.userId === principal.userId;
