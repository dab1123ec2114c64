export { continueWhenRead } from '@bucketware/core/node';
export { type KoaStorageOptions, storageMiddleware } from './middleware.js';
export { storageRouter } from './router.js';
