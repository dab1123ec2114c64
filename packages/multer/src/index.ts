export { type BucketEngineOptions, bucketEngine, type Objects, type StoredFile } from './engine.js';
