import { isDeepStrictEqual } from 'node:util';
import { BlobNotFoundError } from '../../contracts/blob-store.js';
import { asStorageError, StorageError } from '../../errors.js';
import type { Admitted, Bucket } from '../buckets/buckets.js';
import { BlobDamagedError } from '../content/damage.js';
import { type Adoption, requireAdoptable } from '../garbage/reservations.js';
import type { Grant } from '../records/acls.js';
import { bucketRecords } from '../records/buckets.js';
import { readTogether } from '../records/kind.js';
import { type ObjectRecord, objectRecords } from '../records/objects.js';
import { type Tag, tagsToStore } from '../records/tags.js';
import type { Store } from '../store.js';
import { transact } from '../transaction.js';
import { changeObject, timeOfChange } from './change.js';

export async function findObject(
  store: Store,
  bucket: Bucket,
  key: string,
): Promise<ObjectRecord | undefined> {
  return (await objectRecords.get(store.metadata, { bucketId: bucket.id, key }))?.value;
}

/** Reads an object that the caller may use, in the bucket for which access was granted. */
async function readEntry(admitted: Admitted, key: string) {
  const { entry } = await admitted.find(key);
  if (entry === undefined) throw new StorageError('NoSuchKey');
  const { value: object, version } = entry;
  const confirmed = admitted.confirmObject(object);
  if (confirmed !== undefined) await confirmed;
  return { object, version };
}

/** Throws NoSuchKey, and what {@link Admitted} throws. */
export async function readObject(admitted: Admitted, key: string): Promise<ObjectRecord> {
  return (await readEntry(admitted, key)).object;
}

/**
 * Calls `use` with the object's record, and again with a newer one if its data was replaced
 * meanwhile. Missing or damaged data of a current record is an InternalError, never a NoSuchKey: it
 * is lost, and the app must know.
 */
export async function withObject<T>(
  admitted: Admitted,
  key: string,
  use: (object: ObjectRecord) => Promise<T>,
): Promise<T> {
  let lost: { version: string; cause: BlobNotFoundError } | undefined;
  for (;;) {
    const { object, version } = await readEntry(admitted, key);
    if (version === lost?.version) {
      const bucket = admitted.bucket.name;
      const damage = { bucket, key, blob: lost.cause.id, problem: 'missing' } as const;
      throw asStorageError(new BlobDamagedError(damage, { cause: lost.cause }));
    }
    try {
      return await use(object);
    } catch (cause) {
      if (cause instanceof BlobDamagedError) throw asStorageError(cause);
      if (!(cause instanceof BlobNotFoundError)) throw cause;
      lost = { version, cause };
    }
  }
}

/**
 * Why the data of a record that was read a while ago is missing. The data of a current record is
 * lost; the data of a replaced one is removed when the read grace period is over.
 */
export async function explainMissingData(
  store: Store,
  admitted: Admitted,
  key: string,
  { content }: ObjectRecord,
  cause: BlobNotFoundError,
): Promise<unknown> {
  const now = await findObject(store, admitted.bucket, key);
  if (now !== undefined && isDeepStrictEqual(now.content, content)) {
    const bucket = admitted.bucket.name;
    return new BlobDamagedError({ bucket, key, blob: cause.id, problem: 'missing' }, { cause });
  }
  const message =
    'The data of this object no longer exists: it was replaced or deleted after getObject, and the ' +
    'read grace period is over. Call getObject again.';
  return new StorageError('InternalError', message, { cause });
}

/** Builds the new object of a key, given the current one. May throw to reject the write. */
export type Draft = (existing: ObjectRecord | undefined) => Omit<ObjectRecord, 'lastModified'>;

/**
 * Stores an object and replaces any existing one, in one commit. The last writer wins; time never
 * runs backwards for one key.
 */
export function publish(
  store: Store,
  admitted: Admitted,
  key: string,
  adoption: Adoption,
  draft: Draft,
): Promise<ObjectRecord> {
  const current = () => objectRecords.get(store.metadata, { bucketId: admitted.bucket.id, key });
  return transact(store, admitted, async (attempt) => {
    if (attempt > 0) await requireAdoptable(store, adoption, current);
    const { bucket, entry: before } = await admitted.find(key);
    const old = before?.value;
    await admitted.confirmObject(old);
    admitted.mayReplace(old);
    const after: ObjectRecord = Object.assign(draft(old), {
      lastModified: timeOfChange(store, old),
    });
    const context = { actor: admitted.actor, bucket, also: [adoption.change] };
    const changed = changeObject(store, context, { kind: 'put', key, before, after });
    const { change, events, record: result } = changed;
    return { change, events, result };
  });
}

/** Changes the headers and metadata of an object; its data stays the same. Throws NoSuchKey. */
export const editObject = (
  store: Store,
  admitted: Admitted,
  key: string,
  edit: (existing: ObjectRecord) => Promise<Partial<ObjectRecord>>,
): Promise<ObjectRecord> =>
  rewrite(store, admitted, key, 'edit', async (before) => {
    admitted.mayModify();
    const lastModified = timeOfChange(store, before);
    return { ...before, ...(await edit(before)), lastModified };
  });

/** Sets or removes an object's own list. Throws NoSuchKey. */
export async function setObjectAcl(
  store: Store,
  admitted: Admitted,
  key: string,
  acl: readonly Grant[] | undefined,
): Promise<void> {
  await rewrite(store, admitted, key, 'acl', ({ acl: _, aclId: __, ...rest }) =>
    acl === undefined ? rest : { ...rest, acl },
  );
}

/**
 * Sets or removes the tags of an object. Its modification time stays the same. Throws NoSuchKey.
 */
export const setObjectTags = (
  store: Store,
  admitted: Admitted,
  key: string,
  tags: readonly Tag[],
): Promise<ObjectRecord> =>
  rewrite(store, admitted, key, 'tags', (before) => {
    admitted.mayModify();
    return { ...before, tags: tagsToStore(tags) };
  });

async function findExisting(admitted: Admitted, key: string) {
  const { bucket, entry: before } = await admitted.find(key);
  if (before === undefined) throw new StorageError('NoSuchKey');
  await admitted.confirmObject(before.value);
  return { bucket, before };
}

function rewrite(
  store: Store,
  admitted: Admitted,
  key: string,
  kind: 'edit' | 'acl' | 'tags',
  edit: (existing: ObjectRecord) => Promise<ObjectRecord> | ObjectRecord,
): Promise<ObjectRecord> {
  return transact(store, admitted, async () => {
    const { bucket, before } = await findExisting(admitted, key);
    const after = await edit(before.value);
    const context = { actor: admitted.actor, bucket };
    const changed = changeObject(store, context, { kind, key, before, after });
    return { ...changed, result: changed.record };
  });
}

/**
 * Moves an object to another key of its bucket, in one commit, unless `guard` throws. The rights to
 * both keys are checked for the records that the commit changes. Throws NoSuchKey.
 */
export function renameObject(
  store: Store,
  { source, target }: { readonly source: Admitted; readonly target: Admitted },
  { from, to }: { readonly from: string; readonly to: string },
  guard: (existing: ObjectRecord | undefined) => void,
): Promise<ObjectRecord> {
  return transact(store, target, async () => {
    const bucket = await target.current();
    const [holder, before, replaced] = await readTogether(
      store.metadata,
      bucketRecords.at(bucket.name),
      objectRecords.at({ bucketId: bucket.id, key: from }),
      objectRecords.at({ bucketId: bucket.id, key: to }),
    );
    await source.holds(holder);
    if (before === undefined) throw new StorageError('NoSuchKey');
    await source.confirmObject(before.value);
    await target.confirmObject(replaced?.value);
    if (from !== to) target.mayReplace(replaced?.value);
    guard(replaced?.value);
    if (from === to) return { result: before.value };
    const context = { actor: target.actor, bucket };
    const changed = changeObject(store, context, { kind: 'move', from, to, before, replaced });
    return { ...changed, result: changed.record };
  });
}

/** Removes an object in one commit, unless `guard` throws. Throws NoSuchKey. */
export function removeObject(
  store: Store,
  admitted: Admitted,
  key: string,
  guard: (existing: ObjectRecord) => void = () => {},
): Promise<void> {
  return transact(store, admitted, async () => {
    const { bucket, before } = await findExisting(admitted, key);
    guard(before.value);
    const context = { actor: admitted.actor, bucket };
    const { change, events } = changeObject(store, context, { kind: 'remove', key, before });
    return { change, events, result: undefined };
  });
}
