import type { SignalOf } from '../concurrency/when-aborted.js';
import type { Grant } from '../records/acls.js';
import { bucketRecords } from '../records/buckets.js';
import type { Stored } from '../records/kind.js';
import { type ObjectRecord, objectRecords } from '../records/objects.js';
import { requireOwnRecords } from '../records/store-identity.js';
import type { Store } from '../store.js';
import { asBucket, type Bucket } from './buckets.js';
import { grantsOf } from './settings.js';

/** The object that is stored under a key. */
export interface FoundObject {
  readonly key: string;
  /** `undefined` if there is no object. */
  readonly entry: Stored<ObjectRecord> | undefined;
}

/** The subject of a request, as of one instant. */
export interface Subject {
  /** `undefined` if there is no such bucket. */
  readonly bucket: Bucket | undefined;
  /** The bucket's access control list; empty if it has none. */
  readonly grants: readonly Grant[];
  /** `undefined` if it was not read. */
  readonly object: FoundObject | undefined;
  /** When it was read, in milliseconds since 1970. */
  readonly readAt: number;
}

/** How many buckets are remembered. */
const MAX_REMEMBERED = 10_000;

/**
 * Reads a bucket with its access control list and, given a key, an object, as of one instant: the
 * list is the one of the bucket's version. The record key of the object contains the bucket's id,
 * which only the bucket's record has. So the remembered id is tried first; it was right if the
 * bucket's record, read at the same time, has the same id.
 */
export async function readSubject(
  store: Store,
  name: string,
  key?: string,
  signal?: SignalOf,
): Promise<Subject> {
  const { metadata, knownBuckets, now } = store;
  let first: string | undefined;
  for (;;) {
    const bucketId = knownBuckets.get(name);
    const keys = [bucketRecords.key(name)];
    if (bucketId !== undefined && key !== undefined)
      keys.push(objectRecords.key({ bucketId, key }));
    const readAt = now();
    const entries = await metadata.getMany(keys);
    const [holder] = entries;
    const bucket = holder && asBucket(name, bucketRecords.decode(holder));
    first ??= bucket?.id;
    // If another bucket has the name since the first read, there was none at a moment in between.
    if (bucket === undefined || bucket.id !== first) {
      knownBuckets.delete(name);
      if (bucket === undefined) await requireOwnRecords(store);
      return { bucket: undefined, grants: [], object: undefined, readAt };
    }
    if (bucket.id !== bucketId) {
      remember(store, bucket);
      continue;
    }
    const grants = await grantsOf(store, bucket, signal);
    if (grants === undefined) continue;
    if (key === undefined) return { bucket, grants, object: undefined, readAt };
    const entry = entries[1] && objectRecords.decode(entries[1]);
    return { bucket, grants, object: { key, entry }, readAt };
  }
}

function remember({ knownBuckets }: Store, { name, id }: Bucket): void {
  if (knownBuckets.size >= MAX_REMEMBERED) knownBuckets.clear();
  knownBuckets.set(name, id);
}
