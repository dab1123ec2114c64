export {
  BlobDamagedError,
  createObjectStorage,
  type ObjectStorage,
  type ObjectStorageOptions,
  type Principal,
  StorageError,
} from '@bucketware/core';
export { type Durability, openStorage, type StorageConfig } from './open-storage.js';
