export { continueWhenRead } from '@bucketware/core/node';
export {
  type ExpressStorageOptions,
  type StorageMiddleware,
  storageMiddleware,
} from './middleware.js';
