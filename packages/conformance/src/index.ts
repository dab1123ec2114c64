export { type BlobStoreFixture, blobStoreSuite } from './blob-store.js';
export type { DriverFixture, DriverSuiteOptions, OpenDriver } from './driver-suite.js';
export { type HttpFixture, httpSuite } from './http-suite.js';
export { jsonApi } from './json-api/index.js';
export { type MetadataStoreFixture, metadataStoreSuite } from './metadata-store.js';
export { ConformanceError, type TestFunction } from './suite.js';
