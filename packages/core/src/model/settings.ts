import { StorageError } from '../errors.js';
import { readBucket } from './buckets.js';
import { bucketKey, settingKey } from './keys.js';
import type { BucketSettings, SettingName } from './records.js';
import { type Store, transact } from './store.js';

/*
 * Each setting of a bucket is a record of its own, and the bucket's record only says which there
 * are: a request that needs none of them reads none.
 */

export async function readSetting<N extends SettingName>(
  store: Store,
  bucket: string,
  name: N,
): Promise<BucketSettings[N] | undefined> {
  const entry = await store.metadata.get(settingKey(bucket, name));
  return entry?.value as BucketSettings[N] | undefined;
}

/** Replaces a setting, or removes it. One commit: until then the old one holds, then the new one. */
export function writeSetting<N extends SettingName>(
  store: Store,
  bucket: string,
  name: N,
  value: BucketSettings[N] | undefined,
): Promise<void> {
  return transact(store, async () => {
    const { record, version } = await readBucket(store, bucket);
    const others = record.settings.filter((other) => other !== name);
    const settings = value === undefined ? others : [...others, name];
    const key = bucketKey(bucket);
    const setting = settingKey(bucket, name);
    return {
      result: undefined,
      change: {
        expect: [{ key, version }],
        put: [
          { key, value: { ...record, settings } },
          ...(value === undefined ? [] : [{ key: setting, value }]),
        ],
        delete: value === undefined ? [setting] : [],
      },
    };
  });
}

export async function requireSetting<N extends SettingName>(
  store: Store,
  bucket: string,
  name: N,
  missing: 'NoLifecycleConfiguration' | 'NoSuchCORSConfiguration',
): Promise<BucketSettings[N]> {
  const value = await readSetting(store, bucket, name);
  if (value === undefined) throw new StorageError(missing);
  return value;
}
