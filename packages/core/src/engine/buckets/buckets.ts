import type { Change } from '../../contracts/metadata-store.js';
import { StorageError } from '../../errors.js';
import type { SignalOf } from '../concurrency/when-aborted.js';
import type { Actor } from '../events.js';
import { type BucketRecord, bucketRecords, nameOfBucketId } from '../records/buckets.js';
import type { Stored } from '../records/kind.js';
import type { ObjectRecord } from '../records/objects.js';
import type { Store } from '../store.js';

/** A bucket as it was read, with the version that a commit can expect. */
export interface Bucket {
  readonly name: string;
  /** Never used for another bucket, even if this one is deleted and its name is reused. */
  readonly id: string;
  readonly version: string;
  readonly record: BucketRecord;
}

/**
 * A bucket that a caller may use. Each commit expects the bucket that `current` returns, and a
 * result is returned only while that bucket is current, so nothing happens without permission.
 */
export interface Admitted {
  /** The caller. */
  readonly actor: Actor;
  /** Aborts when the caller leaves. */
  readonly signal: SignalOf;
  /** The bucket as it was when the right was last checked. */
  readonly bucket: Bucket;
  /**
   * The bucket and the object under a key, as of one instant at which the caller had the right. The
   * first call may return what was read with the request; later calls read again. Throws what
   * `current` throws.
   */
  find(key: string): Promise<Found> | Found;
  /**
   * The bucket that a commit must expect. When it has changed, the right is checked again. Throws
   * NoSuchBucket when it was deleted, even if another bucket has its name; AccessDenied when the
   * caller has lost the right.
   */
  current(): Promise<Bucket>;
  /**
   * Whether `current` returns without asking the app's own rule, unless the bucket has changed.
   */
  isFresh(): boolean;
  /**
   * The same, given the bucket's entry as it was read together with the data to return or change.
   */
  holds(entry: Stored<BucketRecord> | undefined): Promise<Bucket> | Bucket;
  /** The same for a result that was read without the bucket's entry. */
  confirm(): Promise<void>;
  /** Throws AccessDenied when the caller may not use this object, which may have its own list. */
  confirmObject(object: ObjectRecord | undefined): Promise<void> | void;
  /**
   * Throws OnlyAllowModify when the caller may only replace objects and there is none. If there is
   * one, it throws what `mayModify` throws.
   */
  mayReplace(existing: ObjectRecord | undefined): void;
  /** Throws AccessDenied when the caller may add objects but not change existing ones. */
  mayModify(): void;
}

/** A bucket with the object under one of its keys. */
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

/** Whether the bucket with this id still exists. */
export async function bucketExists(store: Store, id: string): Promise<boolean> {
  return (await findBucket(store, nameOfBucketId(id)))?.id === id;
}

export async function readBucket(store: Store, name: string): Promise<Bucket> {
  return asBucket(name, await bucketRecords.get(store.metadata, name));
}

/**
 * The part of a change that requires the same bucket with the same owner and settings: changing any
 * of them gives the bucket's record a new version.
 */
export const expectBucket = ({ name, version }: Bucket): Change =>
  bucketRecords.expect(name, version);

/**
 * The same for a change that adds something to the bucket, which makes a running deletion start
 * again.
 */
export function keepOpen(bucket: Bucket): Change {
  const { name, record } = bucket;
  const opened = record.closing ? bucketRecords.put(name, { ...record, closing: false }) : {};
  return { ...expectBucket(bucket), ...opened };
}
