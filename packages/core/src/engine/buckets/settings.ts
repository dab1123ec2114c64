import { StorageError } from '../../errors.js';
import type { KeptLists } from '../concurrency/kept-lists.js';
import type { SignalOf } from '../concurrency/when-aborted.js';
import type { Grant } from '../records/acls.js';
import { type BucketRecord, bucketRecords } from '../records/buckets.js';
import { readTogether } from '../records/kind.js';
import {
  type BucketSettings,
  type CorsRule,
  type SettingName,
  settingRecords,
} from '../records/settings.js';
import type { Store } from '../store.js';
import { mergeChanges, transact } from '../transaction.js';
import { type Admitted, type Bucket, expectBucket } from './buckets.js';

/*
 * Each setting of a bucket is a separate record, and the bucket's record only says which ones
 * exist: a request that needs none of them reads none.
 */

export async function readSetting<N extends SettingName>(
  store: Store,
  { id, record }: Bucket,
  name: N,
): Promise<BucketSettings[N] | undefined> {
  if (!record.settings.includes(name)) return undefined;
  return (await settingRecords[name].get(store.metadata, id))?.value;
}

/**
 * The access control list of a bucket, empty if it has none. It is read once for each version of the
 * bucket's record, because every change of a setting gives it a new one. `undefined` if the bucket
 * has changed meanwhile. Do not change or return the result: requests share it.
 */
export const grantsOf = (
  store: Store,
  bucket: Bucket,
  signal?: SignalOf,
): Promise<readonly Grant[] | undefined> =>
  settingOf(store, bucket, 'acl', store.keptGrants, signal);

/** The same, but if the bucket has changed meanwhile, the current list. */
export const knownGrants = async (
  store: Store,
  bucket: Bucket,
  signal?: SignalOf,
): Promise<readonly Grant[]> =>
  (await grantsOf(store, bucket, signal)) ?? (await readSetting(store, bucket, 'acl')) ?? [];

/** The same for the CORS rules. */
export const knownCorsRules = async (
  store: Store,
  bucket: Bucket,
  signal?: SignalOf,
): Promise<readonly CorsRule[]> =>
  (await settingOf(store, bucket, 'cors', store.keptCorsRules, signal)) ??
  (await readSetting(store, bucket, 'cors')) ??
  [];

/** Read together with the bucket's record, whose version tells whether the list belongs to it. */
async function settingOf<N extends 'acl' | 'cors'>(
  { metadata }: Store,
  { name, id, version, record }: Bucket,
  setting: N,
  kept: KeptLists<BucketSettings[N] | readonly []>,
  signal: SignalOf | undefined,
): Promise<BucketSettings[N] | readonly [] | undefined> {
  if (!record.settings.includes(setting)) return [];
  const read = async () => {
    const refs = [bucketRecords.at(name), settingRecords[setting].at(id)] as const;
    const [bucket, entry] = await readTogether(metadata, ...refs);
    return bucket?.version === version ? (entry?.value ?? []) : undefined;
  };
  return kept.get({ owner: record.owner, id, version }, read, signal);
}

/** Replaces a setting, or removes it, in one commit. */
export async function writeSetting<N extends SettingName>(
  store: Store,
  admitted: Admitted,
  name: N,
  value: BucketSettings[N] | undefined,
): Promise<void> {
  await transact(store, admitted, async () => {
    const bucket = await admitted.current();
    const others = bucket.record.settings.filter((other) => other !== name);
    const settings = value === undefined ? others : [...others, name];
    const kind = settingRecords[name];
    const change = mergeChanges(
      expectBucket(bucket),
      bucketRecords.put(bucket.name, { ...bucket.record, settings }),
      value === undefined ? kind.delete(bucket.id) : kind.put(bucket.id, value),
    );
    return { change, result: undefined };
  });
  if (name === 'lifecycle') store.knownExpirations.forget(admitted.bucket.id);
}

/** Changes the record of a bucket itself, in one commit. `guard` may throw to reject the change. */
export function editBucket(
  store: Store,
  admitted: Admitted,
  edit: Pick<BucketRecord, 'publicAccessBlock'> | Pick<BucketRecord, 'objectOwnership'>,
  guard: (bucket: Bucket) => Promise<void> | void = () => {},
): Promise<void> {
  return transact(store, admitted, async () => {
    const bucket = await admitted.current();
    await guard(bucket);
    const record = { ...bucket.record, ...edit };
    const change = mergeChanges(expectBucket(bucket), bucketRecords.put(bucket.name, record));
    return { change, result: undefined };
  });
}

export async function requireSetting<N extends SettingName>(
  store: Store,
  bucket: Bucket,
  name: N,
  missing: 'NoLifecycleConfiguration' | 'NoSuchCORSConfiguration' | 'NoSuchTagSet',
): Promise<BucketSettings[N]> {
  const value = await readSetting(store, bucket, name);
  if (value === undefined) throw new StorageError(missing);
  return value;
}
