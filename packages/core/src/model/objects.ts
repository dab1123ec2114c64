import { BlobNotFoundError } from '../contracts/blob-store.js';
import type { Change } from '../contracts/metadata-store.js';
import { asStorageError, StorageError } from '../errors.js';
import { type Bucket, keepOpen, readBucket } from './buckets.js';
import { BlobDamagedError } from './damage.js';
import { drop, requireAdoptable } from './garbage.js';
import { objectKey } from './keys.js';
import type { ObjectRecord } from './records.js';
import { type Store, together, transact } from './store.js';

export async function findObject(
  store: Store,
  bucket: string,
  key: string,
): Promise<ObjectRecord | undefined> {
  const entry = await store.metadata.get(objectKey(bucket, key));
  return entry?.value as ObjectRecord | undefined;
}

/**
 * Calls `use` with the object's record, and again with a newer one when the bytes that the first
 * names were replaced meanwhile. Bytes that are missing under a live record are an InternalError,
 * never a NoSuchKey: they are lost, and someone must be told. So are bytes that are damaged.
 */
export async function withObject<T>(
  store: Store,
  bucket: string,
  key: string,
  use: (object: ObjectRecord) => Promise<T>,
): Promise<T> {
  let lost: { version: string; cause: BlobNotFoundError } | undefined;
  for (;;) {
    const entry = await store.metadata.get(objectKey(bucket, key));
    if (entry === undefined) throw new StorageError('NoSuchKey');
    if (entry.version === lost?.version) {
      const damage = { bucket, key, blob: lost.cause.id, problem: 'missing' } as const;
      throw asStorageError(new BlobDamagedError(damage, { cause: lost.cause }));
    }
    try {
      return await use(entry.value as ObjectRecord);
    } catch (cause) {
      if (cause instanceof BlobDamagedError) throw asStorageError(cause);
      if (!(cause instanceof BlobNotFoundError)) throw cause;
      lost = { version: entry.version, cause };
    }
  }
}

/** What is to stand under a key, given what stands there now. May throw to refuse. */
export type Draft = (existing: ObjectRecord | undefined) => Omit<ObjectRecord, 'lastModified'>;

/**
 * Puts an object in the place of what is there, in one commit. The last writer wins; time never
 * runs backwards for one key.
 */
export function publish(
  store: Store,
  bucket: Bucket,
  key: string,
  adopt: Change,
  draft: Draft,
): Promise<ObjectRecord> {
  let holder = bucket;
  return transact(store, async (attempt) => {
    if (attempt > 0) holder = await readBucket(store, bucket.name);
    await requireAdoptable(store, adopt);
    const existing = await store.metadata.get(objectKey(bucket.name, key));
    const old = existing?.value as ObjectRecord | undefined;
    const lastModified = Math.max(store.now(), old?.lastModified ?? 0);
    const record: ObjectRecord = Object.assign(draft(old), { lastModified });
    const replace: Change = {
      expect: [{ key: objectKey(bucket.name, key), version: existing?.version }],
      put: [{ key: objectKey(bucket.name, key), value: record }],
    };
    const dropped = old ? drop(store, old.content) : {};
    const change = together(keepOpen(holder), adopt, dropped, replace);
    return { change, result: record };
  });
}

/** Changes what an object says of itself; its bytes stay as they are. */
export function editObject(
  store: Store,
  bucket: string,
  key: string,
  edit: (existing: ObjectRecord) => Promise<ObjectRecord>,
): Promise<ObjectRecord> {
  return transact(store, async () => {
    const name = objectKey(bucket, key);
    const entry = await store.metadata.get(name);
    if (entry === undefined) throw new StorageError('NoSuchKey');
    const value = await edit(entry.value as ObjectRecord);
    const expect = [{ key: name, version: entry.version }];
    return { change: { expect, put: [{ key: name, value }] }, result: value };
  });
}

/** Moves an object to another key of its bucket, in one commit. Undefined when there is none. */
export function renameObject(
  store: Store,
  bucket: string,
  { from, to }: { readonly from: string; readonly to: string },
  guard: (replaced: ObjectRecord | undefined) => void,
): Promise<ObjectRecord | undefined> {
  return transact(store, async () => {
    const [source, target] = [objectKey(bucket, from), objectKey(bucket, to)];
    const [entry, replaced] = await store.metadata.getMany([source, target]);
    if (entry === undefined) return { result: undefined };
    const result = entry.value as ObjectRecord;
    if (from === to) return { result };
    guard(replaced?.value as ObjectRecord | undefined);
    const move: Change = {
      expect: [
        { key: source, version: entry.version },
        { key: target, version: replaced?.version },
      ],
      put: [{ key: target, value: entry.value }],
      delete: [source],
    };
    const old = replaced ? drop(store, (replaced.value as ObjectRecord).content) : {};
    return { change: together(move, old), result };
  });
}

/** Removes an object in one commit, unless `guard` throws. False when there is none. */
export function removeObject(
  store: Store,
  bucket: string,
  key: string,
  guard: (existing: ObjectRecord) => void = () => {},
): Promise<boolean> {
  return transact(store, async () => {
    const name = objectKey(bucket, key);
    const entry = await store.metadata.get(name);
    if (entry === undefined) return { result: false };
    const existing = entry.value as ObjectRecord;
    guard(existing);
    const remove = { expect: [{ key: name, version: entry.version }], delete: [name] };
    return { change: together(remove, drop(store, existing.content)), result: true };
  });
}
