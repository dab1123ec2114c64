import { join } from 'node:path';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import { createObjectStorage } from '@bucketware/storage';
import { BUCKET, CONSTANT, OWNER } from './fixed.js';
import { sizes } from './sizes.js';

export const FEW = BUCKET;
export const MANY = `${BUCKET}-many`;
export const PREFIXES = 10;

const BATCH = 1_000;

/**
 * Makes a storage with a bucket of few and one of many objects. Only the first object is put: all
 * others are copies of its record, which share its bytes, so this is good for listings only.
 */
export async function fill(directory: string): Promise<void> {
  const durability = 'relaxed';
  const metadata = await lmdbMetadata({ directory: join(directory, 'records'), durability });
  const blobs = await filesystemBlobs({ directory: join(directory, 'blobs'), durability });
  const storage = await createObjectStorage({ metadata, blobs });
  const door = storage.as(OWNER);
  for (const bucket of [FEW, MANY]) await door.putBucket({ bucket });
  const key = keyOf(0, 0);
  await door.putObject({ bucket: FEW, key, body: CONSTANT });
  const ids = { [FEW]: '', [MANY]: '' };
  for (const bucket of [FEW, MANY] as const) {
    const record = (await metadata.get(`b/${bucket}`))?.value as { id: string } | undefined;
    ids[bucket] = record?.id ?? bucket;
  }
  const record = (await metadata.get(`o/${ids[FEW]}/${key}`))?.value;
  if (record === undefined) throw new Error('Records are not where this benchmark looks.');

  const copy = async (bucket: keyof typeof ids, keys: readonly string[]) => {
    const put = keys.map((name) => ({ key: `o/${ids[bucket]}/${name}`, value: record }));
    await metadata.commit({ put });
  };
  await copy(FEW, range(0, 0, sizes.fewObjects));
  for (let prefix = 0; prefix < PREFIXES; prefix++) {
    for (let first = 0; first < sizes.manyObjects / PREFIXES; first += BATCH) {
      await copy(MANY, range(prefix, first, BATCH));
    }
  }
  await storage.close();
}

export const keyOf = (prefix: number, number: number): string =>
  `prefix-${prefix}/object-${String(number).padStart(7, '0')}`;

const range = (prefix: number, first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => keyOf(prefix, first + index));
