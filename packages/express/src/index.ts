export { continueWhenRead } from '@bucketware/core';
export { type ExpressStorageOptions, storageMiddleware } from './middleware.js';
