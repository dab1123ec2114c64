export { continueWhenRead } from '@bucketware/core';
export { type KoaStorageOptions, storageMiddleware } from './middleware.js';
export { storageRouter } from './router.js';
