import type { MetadataStore } from '@bucketware/core';
import { lmdbMetadata } from '@bucketware/lmdb';
import { sqliteMetadata } from '@bucketware/sqlite';

export type Driver = 'lmdb' | 'sqlite';
export type Durability = 'full' | 'relaxed';

/** The drivers that several processes on one machine may share. */
export const openEmbedded = (
  driver: Driver,
  directory: string,
  durability: Durability,
): Promise<MetadataStore> =>
  driver === 'lmdb'
    ? lmdbMetadata({ directory, durability })
    : sqliteMetadata({ path: `${directory}/records.db`, durability });
