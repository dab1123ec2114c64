export { type ExpressStorageOptions, storageMiddleware } from './middleware.js';
