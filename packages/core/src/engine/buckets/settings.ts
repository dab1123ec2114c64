import { StorageError } from '../../errors.js';
import { bucketKey, settingKey } from '../records/keys.js';
import type { BucketSettings, SettingName } from '../records/types.js';
import { type Store, together, transact } from '../store.js';
import { type Admitted, type Bucket, expectBucket } from './buckets.js';

/*
 * Each setting of a bucket is a record of its own, and the bucket's record only says which there
 * are: a request that needs none of them reads none.
 */

export async function readSetting<N extends SettingName>(
  store: Store,
  { id, record }: Bucket,
  name: N,
): Promise<BucketSettings[N] | undefined> {
  if (!record.settings.includes(name)) return undefined;
  const entry = await store.metadata.get(settingKey(id, name));
  return entry?.value as BucketSettings[N] | undefined;
}

/** Replaces a setting, or removes it. One commit: until then the old one holds, then the new one. */
export function writeSetting<N extends SettingName>(
  store: Store,
  admitted: Admitted,
  name: N,
  value: BucketSettings[N] | undefined,
): Promise<void> {
  return transact(store, async () => {
    const bucket = await admitted.current();
    const others = bucket.record.settings.filter((other) => other !== name);
    const settings = value === undefined ? others : [...others, name];
    const key = bucketKey(bucket.name);
    const setting = settingKey(bucket.id, name);
    const change = together(expectBucket(bucket), {
      put: [
        { key, value: { ...bucket.record, settings } },
        ...(value === undefined ? [] : [{ key: setting, value }]),
      ],
      delete: value === undefined ? [setting] : [],
    });
    return { change, result: undefined };
  });
}

export async function requireSetting<N extends SettingName>(
  store: Store,
  bucket: Bucket,
  name: N,
  missing: 'NoLifecycleConfiguration' | 'NoSuchCORSConfiguration',
): Promise<BucketSettings[N]> {
  const value = await readSetting(store, bucket, name);
  if (value === undefined) throw new StorageError(missing);
  return value;
}
