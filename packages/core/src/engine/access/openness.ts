import type { Bucket } from '../buckets/buckets.js';
import { hasAcl, knownAcl } from '../objects/object-acl.js';
import type { Grant } from '../records/acls.js';
import type { ObjectRecord } from '../records/objects.js';
import { askHost, type Caller } from './authorization.js';
import { decide } from './decision.js';

/** Who may read an object. */
export interface Openness {
  /** Whether anonymous callers may read it, so that a response tells a page nothing about its visitor. */
  readonly anyone: boolean;
  /** Whether a cache may serve the response to everyone. */
  readonly open: boolean;
}

const OPEN: Openness = { anyone: true, open: true };
const CLOSED: Openness = { anyone: false, open: false };

interface Place {
  readonly bucket: Bucket;
  readonly key: string;
  /** Reads the bucket's list. */
  readonly grants: () => Promise<readonly Grant[]> | readonly Grant[];
}

/** Who may read an object that the caller may read, if that needs no lists. */
export function opennessWithoutLists(
  caller: Caller,
  bucket: Bucket,
  object: ObjectRecord,
): Openness | undefined {
  if (caller.principal === undefined && caller.authorize === undefined) return OPEN;
  return hasAcl(object) || bucket.record.settings.includes('acl') ? undefined : CLOSED;
}

/** Who may read an object that the caller may read, by the lists of the bucket and the object. */
export async function opennessByLists(
  caller: Caller,
  place: Place,
  object: ObjectRecord,
): Promise<Openness> {
  if (!(await isPublic(caller, place, object))) return CLOSED;
  if (caller.authorize === undefined || caller.principal === undefined) return OPEN;
  // The app's own rule has decided for this caller only.
  return { anyone: await letsAnyoneRead(caller, place), open: false };
}

/** Whether the default rule lets anonymous callers read the object. */
async function isPublic(
  { store, signal }: Caller,
  { bucket, key, grants }: Place,
  object: ObjectRecord,
): Promise<boolean> {
  const own = await knownAcl(store, bucket, object, signal);
  const request = { permission: 'READ', bucket, key, principal: undefined } as const;
  return decide(request, { grants: await grants(), own, settings: store.settings }) === 'yes';
}

/** Whether the app's own rule also lets anonymous callers read a public object. */
async function letsAnyoneRead(caller: Caller, { bucket, key }: Place): Promise<boolean> {
  const right = { permission: 'READ', bucketName: bucket.name, key } as const;
  try {
    return await askHost({ ...caller, principal: undefined }, right, true);
  } catch {
    return false; // An anonymous request would fail, and report why.
  }
}
