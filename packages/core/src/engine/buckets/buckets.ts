import type { Change } from '../../contracts/metadata-store.js';
import { StorageError } from '../../errors.js';
import type { Actor } from '../events.js';
import { type BucketRecord, bucketRecords, nameOfBucketId } from '../records/buckets.js';
import type { Stored } from '../records/kind.js';
import type { ObjectRecord } from '../records/objects.js';
import type { Store } from '../store.js';

/** A bucket as it was read, with the version that a commit can expect. */
export interface Bucket {
  readonly name: string;
  /** Never given to another bucket, also when this one is deleted and its name is used again. */
  readonly id: string;
  readonly version: string;
  readonly record: BucketRecord;
}

/**
 * A bucket that a caller may work on. What was admitted is what is committed: each commit expects
 * the bucket that `current` answers, and an answer is given only while it holds.
 */
export interface Admitted {
  /** Who works on it. */
  readonly actor: Actor;
  /** As it was when the caller was asked about last. */
  readonly bucket: Bucket;
  /**
   * The bucket and what is stored under a key, as of one instant in which the caller had the right.
   * The first call may answer what was read with the request; each later one reads again. Throws what
   * `current` throws.
   */
  find(key: string): Promise<Found> | Found;
  /**
   * The bucket as a commit is to expect it. The caller is asked about again when it has changed.
   * Throws NoSuchBucket when it is gone, also when another one has its name; AccessDenied when the
   * caller has lost the right.
   */
  current(): Promise<Bucket>;
  /** The same for the bucket's entry, read together with what is to be answered or changed. */
  holds(entry: Stored<BucketRecord> | undefined): Promise<Bucket> | Bucket;
  /** The same for an answer that was read without the bucket's entry. */
  confirm(): Promise<void>;
  /** Throws AccessDenied when the caller may not use this very object, which may have a list. */
  confirmObject(object: ObjectRecord | undefined): Promise<void> | void;
  /**
   * Throws OnlyAllowModify when the caller may replace objects, but there is none to replace, and
   * what `mayModify` throws when there is one.
   */
  mayReplace(existing: ObjectRecord | undefined): void;
  /** Throws AccessDenied when the caller may add objects, but not change those that exist. */
  mayModify(): void;
}

/** A bucket with what is stored under a key of it. */
export interface Found {
  readonly bucket: Bucket;
  readonly entry: Stored<ObjectRecord> | undefined;
}

export function asBucket(name: string, entry: Stored<BucketRecord> | undefined): Bucket {
  if (entry === undefined) throw new StorageError('NoSuchBucket');
  const { version, value: record } = entry;
  return { name, id: record.id, version, record };
}

async function findBucket(store: Store, name: string): Promise<Bucket | undefined> {
  const entry = await bucketRecords.get(store.metadata, name);
  return entry && asBucket(name, entry);
}

/** Whether the bucket that the id was given to is still there. */
export async function bucketExists(store: Store, id: string): Promise<boolean> {
  return (await findBucket(store, nameOfBucketId(id)))?.id === id;
}

export async function readBucket(store: Store, name: string): Promise<Bucket> {
  return asBucket(name, await bucketRecords.get(store.metadata, name));
}

/**
 * The part of a change that holds only while the bucket is the same, with the same owner and
 * settings: each of these changes gives its record a new version.
 */
export const expectBucket = ({ name, version }: Bucket): Change =>
  bucketRecords.expect(name, version);

/** The same, where something is put into the bucket: a deletion that is under way begins anew. */
export function keepOpen(bucket: Bucket): Change {
  const { name, record } = bucket;
  const opened = record.closing ? bucketRecords.put(name, { ...record, closing: false }) : {};
  return { ...expectBucket(bucket), ...opened };
}
