import type { Entry } from '../contracts/metadata-store.js';
import { StorageError } from '../errors.js';
import { bucketKey } from './keys.js';
import type { BucketRecord } from './records.js';
import type { Store } from './store.js';

/** A bucket as it was read, with the version that a commit can expect. */
export interface Bucket {
  readonly name: string;
  readonly version: string;
  readonly record: BucketRecord;
}

export function asBucket(name: string, entry: Entry | undefined): Bucket {
  if (entry === undefined) throw new StorageError('NoSuchBucket');
  return { name, version: entry.version, record: entry.value as BucketRecord };
}

export async function findBucket(store: Store, name: string): Promise<Bucket | undefined> {
  const entry = await store.metadata.get(bucketKey(name));
  return entry && asBucket(name, entry);
}

export async function readBucket(store: Store, name: string): Promise<Bucket> {
  return asBucket(name, await store.metadata.get(bucketKey(name)));
}

/** The part of a change that keeps the bucket alive while something is put into it. */
export function keepOpen({ name, version, record }: Bucket) {
  const key = bucketKey(name);
  return {
    expect: [{ key, version }],
    put: record.closing ? [{ key, value: { ...record, closing: false } }] : [],
  };
}
