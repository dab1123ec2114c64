import { createObjectStorage, type ObjectStorage } from '@bucketware/core';
import { checkOptions } from '@bucketware/core/contracts';
import { CONFIG, type StorageConfig } from './config.js';
import { closeOurs, openDrivers } from './open-drivers.js';

/**
 * Opens a storage with the drivers that the config names or contains.
 *
 * ```ts
 * const storage = await openStorage({ directory: './data' });
 * ```
 *
 * Rejects when a setting or driver is unknown, a required directory or path is not set, or records
 * and blobs do not belong together. Drivers that your app opened then stay open.
 */
export async function openStorage(config: StorageConfig): Promise<ObjectStorage> {
  checkOptions('openStorage()', config, CONFIG);
  const drivers = await openDrivers(config);
  try {
    return await createObjectStorage({ ...optionsOf(config), ...drivers });
  } catch (error) {
    await closeOurs(config, drivers);
    throw error;
  }
}

/** The options of the core. */
function optionsOf(config: StorageConfig) {
  const { directory, durability, metadata, blobs, prefix, table, ...options } = config;
  return options;
}
