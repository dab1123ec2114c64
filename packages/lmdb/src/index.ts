export { type LmdbMetadataOptions, lmdbMetadata } from './lmdb-metadata.js';
