import { join, resolve } from 'node:path';
import {
  type BlobStore,
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import { checkOptions } from '@bucketware/core/contracts';
import { filesystemBlobs } from '@bucketware/filesystem';
import { type KeyvLike, keyvMetadata } from '@bucketware/keyv';
import { lmdbMetadata } from '@bucketware/lmdb';
import { CONFIG, type Durability, type StorageConfig } from './config.js';
import { givenBlobs, givenMetadata, isKeyv } from './given.js';
import { isKeyvUrl, openKeyv } from './open-keyv.js';
import { isPostgresUrl, openPostgres } from './open-postgres.js';
import { nameOf } from './url.js';

/**
 * Opens a storage with the drivers that the config names or has.
 *
 * ```ts
 * const storage = await openStorage({ directory: './data' });
 * ```
 *
 * Throws when a setting or driver is unknown, a directory is missing, or records and bytes do not
 * belong together. Drivers that the host opened stay open then.
 */
export async function openStorage(config: StorageConfig): Promise<ObjectStorage> {
  checkOptions('openStorage()', config, CONFIG);
  const { directory, durability = 'full', metadata = 'lmdb', ...others } = config;
  const { blobs = 'filesystem', prefix, table, ...options } = others;
  const places = { directory, durability, prefix, table };
  let records: MetadataStore | undefined;
  let bytes: BlobStore | undefined;
  try {
    records = await openMetadata(metadata, places);
    bytes = await openBlobs(blobs, places);
    return await createObjectStorage({ ...options, metadata: records, blobs: bytes });
  } catch (error) {
    // What the host opened it may use again.
    const ours = [records, bytes].filter((driver) => driver !== metadata && driver !== blobs);
    await Promise.allSettled(ours.map((driver) => driver?.close()));
    throw error;
  }
}

interface Places {
  readonly directory: string | undefined;
  readonly durability: Durability;
  readonly prefix: string | undefined;
  readonly table: string | undefined;
}

async function openMetadata(
  driver: NonNullable<StorageConfig['metadata']>,
  places: Places,
): Promise<MetadataStore> {
  const { directory, durability, prefix, table } = places;
  const isRows = typeof driver === 'string' && isPostgresUrl(driver);
  if (!isRows) refuse('table', table, 'records in PostgreSQL');
  if (typeof driver === 'object') return openGiven(driver, places);
  if (isKeyvUrl(driver)) return openKeyv(driver, { durability, prefix });
  refuse('prefix', prefix, 'records in Keyv');
  if (isRows) return openPostgres(driver, { durability, table });
  const [name, path] = split(driver);
  if (name === 'lmdb') {
    return lmdbMetadata({ directory: place(path, directory, 'records'), durability });
  }
  if (driver === 'memory') return memoryMetadata();
  const known = 'Use lmdb, lmdb:<path>, memory, redis://, postgres:// or sqlite:<path>.';
  throw new TypeError(`There is no metadata driver ${nameOf(driver)}. ${known}`);
}

async function openGiven(
  given: MetadataStore | KeyvLike,
  { durability, prefix }: Places,
): Promise<MetadataStore> {
  if (isKeyv(given)) return keyvMetadata(given, { durability, prefix });
  refuse('prefix', prefix, 'records in Keyv');
  return givenMetadata(given);
}

function refuse(option: string, value: string | undefined, meaning: string): void {
  if (value === undefined) return;
  throw new TypeError(`openStorage(): the option ${option} is for ${meaning}. Remove it.`);
}

async function openBlobs(
  driver: NonNullable<StorageConfig['blobs']>,
  { directory, durability }: Places,
): Promise<BlobStore> {
  if (typeof driver === 'object') return givenBlobs(driver);
  const [name, path] = split(driver);
  if (name === 'filesystem') {
    return filesystemBlobs({ directory: place(path, directory, 'blobs'), durability });
  }
  if (driver === 'memory') return memoryBlobs();
  const known = 'Use filesystem, filesystem:<path> or memory.';
  throw new TypeError(`There is no blob driver ${nameOf(driver)}. ${known}`);
}

function place(path: string | undefined, directory: string | undefined, name: string): string {
  if (path === '') {
    throw new TypeError(
      `openStorage(): the path for the ${name} is empty. Write it behind the colon, or leave the colon out.`,
    );
  }
  if (path !== undefined) return resolve(path);
  if (directory === undefined) {
    throw new TypeError(`openStorage() needs a directory, or a path for the ${name}.`);
  }
  return resolve(join(directory, name));
}

function split(driver: string): [name: string, path: string | undefined] {
  const at = driver.indexOf(':');
  return at < 0 ? [driver, undefined] : [driver.slice(0, at), driver.slice(at + 1)];
}
