import type { Bucket } from '../buckets/buckets.js';
import { readAcl } from '../objects/object-acl.js';
import type { Grant } from '../records/acls.js';
import type { ObjectRecord } from '../records/objects.js';
import type { Store } from '../store.js';
import { decide } from './decision.js';

/** Whether the default rule lets anonymous callers read an object. `grants`: the bucket's list. */
export async function isOpenToAll(
  store: Store,
  { bucket, key, grants }: { bucket: Bucket; key: string; grants: readonly Grant[] },
  object: ObjectRecord,
): Promise<boolean> {
  const own = await readAcl(store, object);
  const request = { permission: 'READ', bucket, key, principal: undefined } as const;
  return decide(request, { grants, own, settings: store.settings }) === 'yes';
}

/** Who may read an object. */
export interface Openness {
  /** Whether the access control lists let anonymous callers read it. */
  readonly listed: boolean;
  /** Whether a cache may serve the response to everyone. */
  readonly open: boolean;
}

export const OPEN: Openness = { listed: true, open: true };
export const CLOSED: Openness = { listed: false, open: false };
