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

export interface NewBucket {
  readonly name: string;
  readonly owner: Principal;
  readonly acl: readonly Grant[] | undefined;
}

/** Throws BucketAlreadyExists, whoever owns that bucket, and TooManyBuckets. */
export function createBucket(
  store: Store,
  actor: Actor,
  { name, owner, acl }: NewBucket,
): Promise<void> {
  const { metadata, settings, now } = store;
  const id = newBucketId(name, newId().slice(16));
  return transact(store, async () => {
    const [existing, mark] = await readTogether(
      metadata,
      bucketRecords.at(name),
      ownerRecords.at(owner),
    );
    if (existing !== undefined) throw new StorageError('BucketAlreadyExists');
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
