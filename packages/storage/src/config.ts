import {
  type BlobStore,
  type MetadataStore,
  type ObjectStorageOptions,
  STORAGE_OPTIONS,
} from '@bucketware/core';
import { type KnownOptions, kinds, type OptionKind } from '@bucketware/core/contracts';
import type { KeyvLike } from '@bucketware/keyv';

/**
 * `full`: an acknowledged write survives a power cut. `relaxed`: the operating system decides when
 * to write, so a power cut may lose recent writes.
 */
export type Durability = 'full' | 'relaxed';

/**
 * The settings of a storage. Drivers are named in plain data, such as from a config file, or passed
 * as objects that your app has opened.
 */
export interface StorageConfig extends Omit<ObjectStorageOptions, 'blobs' | 'metadata'> {
  /** The directory for drivers that store data on disk. */
  readonly directory?: string | undefined;
  /**
   * The store of records: `lmdb` (the default, in `<directory>/records`), `lmdb:<path>`, `memory`,
   * `sqlite:<path>`, `postgres://...` or `redis://...`; a `MetadataStore`, which `close()` closes;
   * or a Keyv, which stays connected.
   */
  readonly metadata?: string | MetadataStore | KeyvLike | undefined;
  /**
   * The store of data: `filesystem` (the default, in `<directory>/blobs`), `filesystem:<path>`,
   * `memory` or `s3://bucket/prefix?endpoint=...`; or a `BlobStore`, which `close()` closes.
   */
  readonly blobs?: string | BlobStore | undefined;
  /** The durability of drivers that are named here, and of a Keyv. Default `full`. */
  readonly durability?: Durability | undefined;
  /** The prefix of all record keys in Keyv. Default `bucketware:`. */
  readonly prefix?: string | undefined;
  /** The table of records in PostgreSQL. Default `bucketware_records`. */
  readonly table?: string | undefined;
}

/** Where the records and blobs of a storage are. */
export type StoragePlace = Pick<StorageConfig, keyof typeof PLACE>;

const nameOr = (what: string): OptionKind => ({
  is: `the name of a driver, or ${what}`,
  fits: (value) => kinds.text.fits(value) || kinds.anObject.fits(value),
});

/** The allowed settings of a place. */
export const PLACE = {
  directory: kinds.text,
  metadata: nameOr('a MetadataStore or a Keyv'),
  blobs: nameOr('a BlobStore'),
  durability: kinds.oneOf('full', 'relaxed'),
  prefix: kinds.text,
  table: kinds.text,
} as const;

/** The allowed settings. */
export const CONFIG: KnownOptions<StorageConfig> = { ...STORAGE_OPTIONS, ...PLACE };
