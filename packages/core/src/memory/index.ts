export { memoryBlobs } from './memory-blobs.js';
export { memoryMetadata } from './memory-metadata.js';
