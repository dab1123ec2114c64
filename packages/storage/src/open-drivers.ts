import { join, resolve } from 'node:path';
import {
  type BlobStore,
  type Drivers,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { keyvMetadata } from '@bucketware/keyv';
import { lmdbMetadata } from '@bucketware/lmdb';
import type { StorageConfig, StoragePlace } from './config.js';
import { givenBlobs, givenMetadata, isKeyv } from './given.js';
import { load } from './load.js';
import { type DatabaseOptions, databaseOf, openDatabase } from './open-database.js';
import { nameOf } from './url.js';

/** Opens the drivers that a config names. Drivers that it contains are used as they are. */
export async function openDrivers(config: StoragePlace): Promise<Drivers> {
  const { directory, durability = 'full', metadata = 'lmdb', blobs = 'filesystem' } = config;
  const places = { directory, durability, prefix: config.prefix, table: config.table };
  const records = await openMetadata(metadata, places);
  try {
    return { metadata: records, blobs: await openBlobs(blobs, places) };
  } catch (error) {
    await closeOurs(config, { metadata: records });
    throw error;
  }
}

/** Opens the drivers of a place for some work, and closes them afterwards. */
export async function withDrivers<Result>(
  place: StoragePlace,
  work: (drivers: Drivers) => Promise<Result>,
): Promise<Result> {
  const drivers = await openDrivers(place);
  try {
    return await work(drivers);
  } finally {
    await Promise.all([drivers.metadata.close(), drivers.blobs.close()]);
  }
}

/** Drivers that the app opened stay open: it may use them again. */
export async function closeOurs(config: StoragePlace, drivers: Partial<Drivers>): Promise<void> {
  const { metadata, blobs } = drivers;
  const ours = [metadata, blobs].filter((one) => one !== config.metadata && one !== config.blobs);
  await Promise.allSettled(ours.map((driver) => driver?.close()));
}

interface Places extends DatabaseOptions {
  readonly directory: string | undefined;
}

async function openMetadata(
  driver: NonNullable<StorageConfig['metadata']>,
  places: Places,
): Promise<MetadataStore> {
  const { directory, durability, prefix } = places;
  if (typeof driver === 'object') {
    refuse(places, isKeyv(driver) ? ['prefix'] : []);
    return isKeyv(driver) ? keyvMetadata(driver, { durability, prefix }) : givenMetadata(driver);
  }
  const database = databaseOf(driver);
  refuse(places, database?.takes ?? []);
  if (database !== undefined) return openDatabase(database, driver, places);
  const [name, path] = split(driver);
  if (name === 'lmdb') {
    return lmdbMetadata({ directory: place(path, directory, 'records'), durability });
  }
  if (driver === 'memory') return memoryMetadata();
  const known = 'Use lmdb, lmdb:<path>, memory, redis://, postgres:// or sqlite:<path>.';
  throw new TypeError(`There is no metadata driver ${nameOf(driver)}. ${known}`);
}

const MEANT_FOR = { prefix: 'records in Keyv', table: 'records in PostgreSQL' } as const;

/** Throws for options that the driver does not have, because they would be ignored. */
function refuse(places: Places, taken: readonly (keyof typeof MEANT_FOR)[]): void {
  for (const [option, meaning] of Object.entries(MEANT_FOR) as Entries<typeof MEANT_FOR>) {
    if (places[option] === undefined || taken.includes(option)) continue;
    throw new TypeError(`openStorage(): the option ${option} is only for ${meaning}. Remove it.`);
  }
}

type Entries<T> = readonly [keyof T, T[keyof T]][];

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
  if (name === 's3') {
    const { s3Blobs } = await load('@bucketware/s3-blobs', () => import('@bucketware/s3-blobs'));
    return s3Blobs({ url: driver });
  }
  const known = 'Use filesystem, filesystem:<path>, memory or s3://bucket/prefix.';
  throw new TypeError(`There is no blob driver ${nameOf(driver)}. ${known}`);
}

function place(path: string | undefined, directory: string | undefined, name: string): string {
  if (path === '') {
    throw new TypeError(
      `openStorage(): the path for the ${name} is empty. Add it after the colon, or leave the colon out.`,
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
