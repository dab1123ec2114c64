export { continueWhenRead } from '@bucketware/core/node';
export { type FastifyStorageOptions, type StoragePlugin, storagePlugin } from './plugin.js';
