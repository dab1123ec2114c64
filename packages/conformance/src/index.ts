export { type BlobStoreFixture, blobStoreCases } from './blob-store.js';
export type { Case } from './case.js';
export { type HttpFixture, httpCases } from './http/index.js';
export { type MetadataStoreFixture, metadataStoreCases } from './metadata-store.js';
