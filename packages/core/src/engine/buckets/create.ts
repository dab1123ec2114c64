import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '../../contracts/principal.js';
import { StorageError } from '../../errors.js';
import type { SignalOf } from '../concurrency/when-aborted.js';
import type { Actor } from '../events.js';
import type { Grant } from '../records/acls.js';
import {
  type BucketRecord,
  bucketRecords,
  newBucketId,
  type ObjectOwnership,
} from '../records/buckets.js';
import { readTogether } from '../records/kind.js';
import { ownedBucketRecords, ownedBy, ownerRecords } from '../records/owners.js';
import { settingRecords } from '../records/settings.js';
import { requireOwn, storeRecord } from '../records/store-identity.js';
import type { Tag } from '../records/tags.js';
import { newId, type Store } from '../store.js';
import { mergeChanges, transact } from '../transaction.js';
import { asBucket, type Bucket } from './buckets.js';
import { knownGrants, readSetting } from './settings.js';

export interface NewBucket {
  readonly name: string;
  readonly owner: Principal;
  readonly acl: readonly Grant[] | undefined;
  readonly tags: readonly Tag[] | undefined;
  readonly objectOwnership: ObjectOwnership | undefined;
  /**
   * Whether creating a bucket again with the same owner succeeds, without a change: `never`, with the
   * `same` list, where none counts as private, or with `any` if this list is `undefined`.
   */
  readonly again: 'never' | 'same' | 'any';
}

/** Throws BucketAlreadyExists and TooManyBuckets. */
export function createBucket(
  store: Store,
  actor: Actor,
  bucket: NewBucket,
  client: { readonly signal: SignalOf },
): Promise<void> {
  const { name, owner, acl, tags, objectOwnership, again } = bucket;
  const { metadata, settings, now } = store;
  const id = newBucketId(name, newId().slice(16));
  return transact(store, client, async () => {
    const [existing, mark, own] = await readTogether(
      metadata,
      bucketRecords.at(name),
      ownerRecords.at(owner),
      storeRecord.at(undefined),
    );
    requireOwn(store, own);
    if (existing !== undefined) {
      if (again === 'never') throw new StorageError('BucketAlreadyExists');
      await requireSame(store, asBucket(name, existing), bucket);
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
      settings: [...(acl ? (['acl'] as const) : []), ...(tags ? (['tags'] as const) : [])],
      objectOwnership,
    };
    // The owner's record comes first: all new buckets of the owner compete for it.
    const change = mergeChanges(
      storeRecord.expect(undefined, own?.version),
      ownerRecords.expect(owner, mark?.version),
      ownerRecords.put(owner, null),
      bucketRecords.expect(name, undefined),
      bucketRecords.put(name, record),
      ownedBucketRecords.put({ owner, bucket: name }, null),
      acl === undefined ? {} : settingRecords.acl.put(id, acl),
      tags === undefined ? {} : settingRecords.tags.put(id, tags),
    );
    const event = { ...actor, bucket: name, key: '' };
    return { change, events: [{ name: 'bucket:created', event }], result: undefined };
  });
}

/** Throws BucketAlreadyExists, unless the existing bucket is the same as the requested one. */
async function requireSame(store: Store, bucket: Bucket, wanted: NewBucket): Promise<void> {
  const { tenantId, userId } = bucket.record.owner;
  if (tenantId !== wanted.owner.tenantId || userId !== wanted.owner.userId) {
    throw new StorageError('BucketAlreadyExists');
  }
  // The owner has all rights, whether listed or not.
  const others = (grants: readonly Grant[] = []) =>
    grants.filter(({ grantee }) =>
      grantee.some((who) => who.id !== userId || (who.tenantId ?? tenantId) !== tenantId),
    );
  const acl = await knownGrants(store, bucket);
  const hasAnyAcl = wanted.again === 'any' && wanted.acl === undefined;
  const tags = await readSetting(store, bucket, 'tags');
  const isSame =
    (hasAnyAcl || isDeepStrictEqual(others(acl), others(wanted.acl))) &&
    (wanted.tags === undefined || isDeepStrictEqual(tags, wanted.tags)) &&
    (wanted.objectOwnership ?? bucket.record.objectOwnership) === bucket.record.objectOwnership;
  if (isSame) return;
  const message =
    'You already own this bucket, with a different access control list or different tags. Use ' +
    'PutBucketAcl or PutBucketTagging.';
  throw new StorageError('BucketAlreadyExists', message);
}
