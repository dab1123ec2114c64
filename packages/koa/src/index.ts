export { continueWhenRead } from '@bucketware/core/node';
export { type KoaStorageOptions, type StorageMiddleware, storageMiddleware } from './middleware.js';
export { type StorageRouter, storageRouter } from './router.js';
