import type { Grant } from '../records/acls.js';
import { bucketRecords } from '../records/buckets.js';
import type { Stored } from '../records/kind.js';
import { type ObjectRecord, objectRecords } from '../records/objects.js';
import { settingRecords } from '../records/settings.js';
import type { Store } from '../store.js';
import { asBucket, type Bucket } from './buckets.js';

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

const NO_GRANTS: readonly Grant[] = [];

/**
 * Reads a bucket with its access control list and, given a key, an object, as of one instant. The
 * record keys of list and object contain the bucket's id, which only the bucket's record has. So
 * the remembered id is tried first; it was right if the bucket's record, read at the same time, has
 * the same id.
 */
export async function readSubject(store: Store, name: string, key?: string): Promise<Subject> {
  const { metadata, knownBuckets, now } = store;
  for (;;) {
    const known = knownBuckets.get(name);
    const keys = [bucketRecords.key(name)];
    if (known !== undefined && key !== undefined) {
      keys.push(objectRecords.key({ bucketId: known.id, key }));
    }
    if (known?.hasAcl) keys.push(settingRecords.acl.key(known.id));
    const readAt = now();
    const entries = await metadata.getMany(keys);
    const [holder] = entries;
    if (holder === undefined) {
      knownBuckets.delete(name);
      return { bucket: undefined, grants: NO_GRANTS, object: undefined, readAt };
    }
    const bucket = asBucket(name, bucketRecords.decode(holder));
    if (bucket.id !== known?.id || bucket.record.settings.includes('acl') !== known.hasAcl) {
      remember(store, bucket);
      continue;
    }
    const list = known.hasAcl ? entries.at(-1) : undefined;
    const grants = list === undefined ? NO_GRANTS : settingRecords.acl.decode(list).value;
    if (key === undefined) return { bucket, grants, object: undefined, readAt };
    const entry = entries[1] && objectRecords.decode(entries[1]);
    return { bucket, grants, object: { key, entry }, readAt };
  }
}

function remember({ knownBuckets }: Store, { name, id, record }: Bucket): void {
  if (knownBuckets.size >= MAX_REMEMBERED) knownBuckets.clear();
  knownBuckets.set(name, { id, hasAcl: record.settings.includes('acl') });
}
