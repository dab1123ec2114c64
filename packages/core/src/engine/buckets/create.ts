import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '../../contracts/principal.js';
import { StorageError } from '../../errors.js';
import type { Actor } from '../events.js';
import type { Grant } from '../records/acls.js';
import { type BucketRecord, bucketRecords, newBucketId } from '../records/buckets.js';
import { readTogether } from '../records/kind.js';
import { ownedBucketRecords, ownedBy, ownerRecords } from '../records/owners.js';
import { settingRecords } from '../records/settings.js';
import { newId, type Store } from '../store.js';
import { together, transact } from '../transaction.js';
import { asBucket, type Bucket } from './buckets.js';
import { readSetting } from './settings.js';

export interface NewBucket {
  readonly name: string;
  readonly owner: Principal;
  readonly acl: readonly Grant[] | undefined;
  /** The same bucket of the same owner with the same list is left as it is. */
  readonly again: boolean;
}

/** Throws BucketAlreadyExists and TooManyBuckets. */
export function createBucket(
  store: Store,
  actor: Actor,
  { name, owner, acl, again }: NewBucket,
): Promise<void> {
  const { metadata, settings, now } = store;
  const id = newBucketId(name, newId().slice(16));
  return transact(store, async () => {
    const [existing, mark] = await readTogether(
      metadata,
      bucketRecords.at(name),
      ownerRecords.at(owner),
    );
    if (existing !== undefined) {
      const bucket = asBucket(name, existing);
      if (again) requireSame(bucket, owner, await readSetting(store, bucket, 'acl'), acl);
      else throw new StorageError('BucketAlreadyExists');
      return { result: undefined };
    }
    const limit = settings.maxBucketsPerOwner;
    const owned = await metadata.list({ prefix: ownedBy(owner), limit });
    if (owned.length >= limit) throw new StorageError('TooManyBuckets');
    const record: BucketRecord = {
      id,
      owner,
      created: now(),
      storageClass: 'STANDARD',
      closing: false,
      settings: acl === undefined ? [] : ['acl'],
    };
    const change = together(
      bucketRecords.expect(name, undefined),
      bucketRecords.put(name, record),
      ownerRecords.expect(owner, mark?.version),
      ownerRecords.put(owner, null),
      ownedBucketRecords.put({ owner, bucket: name }, null),
      acl === undefined ? {} : settingRecords.acl.put(id, acl),
    );
    const event = { ...actor, bucket: name, key: '' };
    return { change, events: [{ name: 'bucket:created', event }], result: undefined };
  });
}

/** Throws BucketAlreadyExists, unless what there is would have been created. */
function requireSame(
  { record }: Bucket,
  owner: Principal,
  existing: readonly Grant[] = [],
  wanted: readonly Grant[] = [],
): void {
  const { tenantId, userId } = record.owner;
  if (tenantId !== owner.tenantId || userId !== owner.userId) {
    throw new StorageError('BucketAlreadyExists');
  }
  // The owner has all rights, listed or not.
  const others = (grants: readonly Grant[]) =>
    grants.filter(({ grantee }) =>
      grantee.some((who) => who.id !== userId || (who.tenantId ?? tenantId) !== tenantId),
    );
  if (isDeepStrictEqual(others(existing), others(wanted))) return;
  const message =
    'The bucket exists already and is yours, with another access control list. Use PutBucketAcl.';
  throw new StorageError('BucketAlreadyExists', message);
}
