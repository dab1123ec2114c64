import type { MetadataStore } from '@bucketware/core';
import { keyvMetadata } from '@bucketware/keyv';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import type { Durability } from './config.js';
import { load } from './load.js';

interface KeyvOptions {
  readonly durability: Durability;
  readonly prefix: string | undefined;
}

/** Stores records in a tree on Keyv, because Redis does not sort keys. */
export async function openRedis(url: string, options: KeyvOptions): Promise<MetadataStore> {
  const { default: KeyvRedis } = await load('@keyv/redis', () => import('@keyv/redis'));
  const keyv = new Keyv({ store: new KeyvRedis(url) as KeyvStoreAdapter });
  try {
    return await keyvMetadata(keyv, { ...options, disconnect: true });
  } catch (error) {
    // Otherwise the client of Redis may try to connect forever. The error of opening is reported,
    // not one of disconnecting.
    await keyv.disconnect().catch(() => undefined);
    throw error;
  }
}
