import { StorageError } from '../../errors.js';
import { type BucketRecord, bucketRecords } from '../records/buckets.js';
import { type BucketSettings, type SettingName, settingRecords } from '../records/settings.js';
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

/** Replaces a setting, or removes it, in one commit. */
export async function writeSetting<N extends SettingName>(
  store: Store,
  admitted: Admitted,
  name: N,
  value: BucketSettings[N] | undefined,
): Promise<void> {
  await transact(store, async () => {
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
  return transact(store, async () => {
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
