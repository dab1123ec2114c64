export { continueWhenRead } from '@bucketware/core/node';
export { type ExpressStorageOptions, storageMiddleware } from './middleware.js';
