export {
  type AccessQuestion,
  type Authorize,
  BlobDamagedError,
  createObjectStorage,
  type ObjectStorage,
  type ObjectStorageOptions,
  type Permission,
  type Principal,
  type PrincipalResult,
  StorageError,
} from '@bucketware/core';
export type { Durability, StorageConfig, StoragePlace } from './config.js';
export { type CopyStorageOptions, copyStorage } from './copy-storage.js';
export type { CopyStorageReport } from './fill-place.js';
export { openStorage } from './open-storage.js';
export { type RestoreStorageOptions, restoreStorage } from './restore-storage.js';
