import type { Bucket } from '../buckets/buckets.js';
import { afterMarker, listPage } from '../listing.js';
import { type ObjectRecord, objectRecords, objectsOf } from '../records/objects.js';
import type { Store } from '../store.js';

export interface ObjectListing {
  readonly prefix: string;
  /** Empty for no delimiter. */
  readonly delimiter: string;
  /** The page starts after this key; if it is empty, at the first key. */
  readonly marker: string;
  /** The maximum number of keys and common prefixes on a page. */
  readonly max: number;
}

export interface ListedObject {
  readonly key: string;
  readonly object: ObjectRecord;
}

export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  readonly commonPrefixes: readonly string[];
  readonly isTruncated: boolean;
  /** The last key or common prefix: the marker of the next page. */
  readonly last: string | undefined;
}

/**
 * One page of a bucket's objects, sorted by the UTF-8 bytes of their keys. With a delimiter, keys
 * that are equal up to it are one common prefix.
 */
export async function listObjects(
  { metadata }: Store,
  bucket: Bucket,
  { prefix, delimiter, marker, max }: ObjectListing,
): Promise<ObjectPage> {
  const base = objectsOf(bucket.id);
  const start = afterMarker({ base, prefix, delimiter, marker });
  const { userId, userName } = bucket.record.owner;
  const textsOf = () => [userId, userName];
  const about = { kind: objectRecords, base, prefix, delimiter, start, max, textsOf };
  const { items, isTruncated, last } = await listPage(metadata, about);
  const objects: ListedObject[] = [];
  const commonPrefixes: string[] = [];
  for (const item of items) {
    if ('commonPrefix' in item) commonPrefixes.push(item.commonPrefix);
    else objects.push({ key: item.name, object: item.entry.value });
  }
  return { objects, commonPrefixes, isTruncated, last };
}
