import { join, resolve } from 'node:path';
import {
  type BlobStore,
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
  type ObjectStorageOptions,
} from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import { isKeyvUrl, openKeyv } from './open-keyv.js';

/** `full`: an answered write survives a power cut. `relaxed`: the operating system writes when it likes. */
export type Durability = 'full' | 'relaxed';

/** A storage in plain data, as hosts keep it in config files. */
export interface StorageConfig extends Omit<ObjectStorageOptions, 'blobs' | 'metadata'> {
  /** Where drivers keep what they keep on disk. */
  readonly directory?: string | undefined;
  /**
   * `lmdb` (the default, in `<directory>/records`), `lmdb:<path>`, `memory`, or a database behind
   * Keyv: `redis://...`, `postgres://...` or `sqlite:<path>`.
   */
  readonly metadata?: string | undefined;
  /** `filesystem` (the default, in `<directory>/blobs`), `filesystem:<path>` or `memory`. */
  readonly blobs?: string | undefined;
  /** Default `full`. */
  readonly durability?: Durability | undefined;
}

/**
 * Opens a storage with the drivers that the config names.
 *
 * ```ts
 * const storage = await openStorage({ directory: './data' });
 * ```
 *
 * Throws when a driver is unknown, a directory is missing, or records and bytes do not belong
 * together.
 */
export async function openStorage(config: StorageConfig): Promise<ObjectStorage> {
  const { directory, durability = 'full', metadata, blobs, ...options } = config;
  if (durability !== 'full' && durability !== 'relaxed') {
    throw new Error(`durability must be 'full' or 'relaxed', not '${String(durability)}'.`);
  }
  const records = await openMetadata(metadata ?? 'lmdb', directory, durability);
  try {
    const bytes = await openBlobs(blobs ?? 'filesystem', directory, durability);
    return await createObjectStorage({ ...options, metadata: records, blobs: bytes });
  } catch (error) {
    await records.close();
    throw error;
  }
}

async function openMetadata(
  driver: string,
  directory: string | undefined,
  durability: Durability,
): Promise<MetadataStore> {
  const [name, path] = split(driver);
  if (name === 'lmdb') {
    return lmdbMetadata({ directory: place(path, directory, 'records'), durability });
  }
  if (driver === 'memory') return memoryMetadata();
  if (isKeyvUrl(driver)) return openKeyv(driver, durability);
  const known = 'Use lmdb, lmdb:<path>, memory, redis://, postgres:// or sqlite:<path>.';
  throw new Error(`There is no metadata driver '${driver}'. ${known}`);
}

async function openBlobs(
  driver: string,
  directory: string | undefined,
  durability: Durability,
): Promise<BlobStore> {
  const [name, path] = split(driver);
  if (name === 'filesystem') {
    return filesystemBlobs({ directory: place(path, directory, 'blobs'), durability });
  }
  if (driver === 'memory') return memoryBlobs();
  const known = 'Use filesystem, filesystem:<path> or memory.';
  throw new Error(`There is no blob driver '${driver}'. ${known}`);
}

function place(path: string, directory: string | undefined, name: string): string {
  if (path !== '') return resolve(path);
  if (directory === undefined) {
    throw new Error(`The config needs a directory, or a path for the ${name}.`);
  }
  return resolve(join(directory, name));
}

function split(driver: string): [name: string, path: string] {
  const at = driver.indexOf(':');
  return at < 0 ? [driver, ''] : [driver.slice(0, at), driver.slice(at + 1)];
}
