import type { Principal } from '../../contracts/principal.js';
import { bucketRecords } from '../records/buckets.js';
import { ownedBucketRecords, ownedBy } from '../records/owners.js';
import { requireOwnRecords } from '../records/store-identity.js';
import type { Store } from '../store.js';

export interface ListedBucket {
  readonly name: string;
  /** When the bucket was created, in milliseconds since 1970. */
  readonly created: number;
}

/** The buckets of an owner whose names start with the prefix, sorted by name. */
export async function listBuckets(
  store: Store,
  owner: Principal,
  prefix: string,
): Promise<ListedBucket[]> {
  const { metadata } = store;
  const names: string[] = [];
  for await (const page of ownedBucketRecords.pages(metadata, { under: ownedBy(owner) + prefix })) {
    for (const { key } of page) names.push(ownedBucketRecords.parse(key).bucket);
  }
  if (names.length === 0) await requireOwnRecords(store);
  const entries = await bucketRecords.getAll(metadata, names);
  return names.flatMap((name, at) => {
    const entry = entries[at];
    return entry === undefined ? [] : [{ name, created: entry.value.created }];
  });
}

/** A bucket and its owner. */
export interface KnownBucket {
  readonly name: string;
  readonly owner: Principal;
  readonly creationDate: Date;
}

/** The buckets of all owners, sorted by name. */
export async function* allBuckets(store: Store): AsyncGenerator<KnownBucket, void> {
  await requireOwnRecords(store);
  const { metadata } = store;
  for await (const page of bucketRecords.pages(metadata)) {
    for (const { key, value } of page) {
      const { owner, created } = value;
      yield { name: bucketRecords.parse(key), owner, creationDate: new Date(created) };
    }
  }
}
