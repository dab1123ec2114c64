import type { Change } from '../../contracts/metadata-store.js';
import type { Bucket } from '../buckets/buckets.js';
import type { SignalOf } from '../concurrency/when-aborted.js';
import type { Grant } from '../records/acls.js';
import { aclRecords, type OwnAcl } from '../records/acls.js';
import { newId, type Store } from '../store.js';

/*
 * The list of an object is rarely read, but its record is read by each listing of its bucket. So a
 * long list has a separate record.
 */

/** Lists of up to this many characters of JSON stay in the record of the object or upload. */
const MOST_IN_RECORD = 1024;

export const hasAcl = ({ acl, aclId }: OwnAcl): boolean => (acl ?? aclId) !== undefined;

/** The record as it is stored, and the part of a change that stores its list if it is long. */
export function withAclApart<T extends OwnAcl>(record: T): { record: T; change: Change } {
  const { acl } = record;
  if (acl === undefined || JSON.stringify(acl).length <= MOST_IN_RECORD) {
    return { record, change: {} };
  }
  const aclId = newId();
  return { record: { ...record, acl: undefined, aclId }, change: aclRecords.put(aclId, acl) };
}

/**
 * The same as `readAcl`, but a long list is read once: the list of an id never changes. Do not
 * change or return the result, which requests share.
 */
export async function knownAcl(
  store: Store,
  { record: { owner } }: Bucket,
  own: OwnAcl,
  signal: SignalOf,
): Promise<readonly Grant[] | undefined> {
  const { acl, aclId } = own;
  if (aclId === undefined) return acl;
  return store.keptOwnGrants.get({ owner, id: aclId }, () => readAcl(store, own), signal);
}

/** An object's or upload's own list; undefined if it has none. */
export async function readAcl(
  { metadata }: Store,
  { acl, aclId }: OwnAcl,
): Promise<readonly Grant[] | undefined> {
  if (aclId === undefined) return acl;
  const entry = await aclRecords.get(metadata, aclId);
  // The record is removed long after the object got another list or was deleted. A missing one no
  // longer grants anything.
  return entry?.value ?? [];
}
