export {
  BlobDamagedError,
  createObjectStorage,
  type ObjectStorage,
  type ObjectStorageOptions,
  type Principal,
  StorageError,
} from '@bucketware/core';
export type { Durability, StorageConfig } from './config.js';
export { openStorage } from './open-storage.js';
