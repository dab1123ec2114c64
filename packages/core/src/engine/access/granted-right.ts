import type { Bucket } from '../buckets/buckets.js';
import type { FoundObject } from '../buckets/subject.js';
import type { Grant } from '../records/acls.js';
import type { ObjectRecord } from '../records/objects.js';
import type { Right } from './authorization.js';
import type { Decision } from './decision.js';

/**
 * How long a right is valid, in milliseconds. If a request waits longer, for its body or for the
 * app, the right is checked again before the commit.
 */
export const FRESH_FOR = 1_000;

/** A right, and the decision of the default rule about it. */
export interface Granted {
  readonly right: Right;
  decision: Decision;
  size: number | undefined;
  /** The object as it was stored at the time of the decision. */
  object: ObjectRecord | undefined;
}

/** What a permit is bound to: a bucket, and what was read together with it. */
export interface PermitSubject {
  readonly bucket: Bucket;
  /** The bucket's access control list. */
  readonly grants: readonly Grant[];
  readonly object: FoundObject | undefined;
  readonly readAt: number;
}

export const sizeOf = (right: Right, object: ObjectRecord | undefined): number | undefined =>
  right.size ?? (object && right.sizeOf?.(object));
