import { join } from 'node:path';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import { createObjectStorage } from '@bucketware/storage';
import { BUCKET, OWNER } from '../servers/fixed.js';
import type { Settings } from '../settings.js';

/** The buckets that are filled with keys. Everything else is in the bucket of all servers. */
export const FEW = `${BUCKET}-few`;
export const SOME = `${BUCKET}-some`;
export const MANY = `${BUCKET}-many`;
export const FOLDERS = `${BUCKET}-folders`;

export const PREFIXES = 10;
export const PAGE = 1_000;
const KEYS_IN_FOLDER = 10;
const BATCH = 1_000;

/**
 * Creates a storage whose buckets have many keys. To save time, only one object is put: the records
 * of all others are copies of its record, and refer to the same data.
 */
export async function fillBuckets(directory: string, settings: Settings): Promise<void> {
  const durability = 'relaxed';
  const metadata = await lmdbMetadata({ directory: join(directory, 'records'), durability });
  const blobs = await filesystemBlobs({ directory: join(directory, 'blobs'), durability });
  const storage = await createObjectStorage({ metadata, blobs });
  const client = storage.as(OWNER);
  const keys = keysOf(settings);
  for (const bucket of [BUCKET, ...keys.keys()]) await client.putBucket({ bucket });
  const key = keyAt(0, 0);
  await client.putObject({ bucket: FEW, key, body: 'A few bytes.' });
  const idOf = async (bucket: string): Promise<string> => {
    const record = (await metadata.get(`b/${bucket}`))?.value as { id: string } | undefined;
    return record?.id ?? bucket;
  };
  const value = (await metadata.get(`o/${await idOf(FEW)}/${key}`))?.value;
  if (value === undefined) throw new Error('This benchmark does not find the record of an object.');

  for (const [bucket, { count, keyOf }] of keys) {
    const base = `o/${await idOf(bucket)}/`;
    for (let first = 0; first < count; first += BATCH) {
      const put = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => ({
        key: base + keyOf(first + index),
        value,
      }));
      await metadata.commit({ put });
    }
  }
  await storage.close();
}

interface Keys {
  readonly count: number;
  readonly keyOf: (index: number) => string;
}

function keysOf({ someKeys, manyKeys, folders }: Settings): Map<string, Keys> {
  const below = (count: number) => ({
    count,
    keyOf: (index: number) => keyAt(Math.floor((index * PREFIXES) / count), index),
  });
  return new Map([
    [FEW, below(PAGE)],
    [SOME, below(someKeys)],
    [MANY, below(manyKeys)],
    [
      FOLDERS,
      {
        count: folders * KEYS_IN_FOLDER,
        keyOf: (index) => `folder-${pad(Math.floor(index / KEYS_IN_FOLDER))}/${pad(index)}`,
      },
    ],
  ]);
}

const pad = (number: number): string => String(number).padStart(7, '0');

const keyAt = (prefix: number, index: number): string => `prefix-${prefix}/object-${pad(index)}`;

/** A random key with at least a full page of keys after it. */
export function anyMarker(count: number): string {
  const index = Math.floor(Math.random() * (count - PAGE - 1));
  return keyAt(Math.floor((index * PREFIXES) / count), index);
}
