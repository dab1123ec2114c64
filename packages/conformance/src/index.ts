export type { Case, CaseContext } from './actions/case.js';
export type { DialectClient } from './actions/client.js';
export type { ClientOptions, Dialect } from './actions/dialect.js';
export { Failure } from './actions/failure.js';
export type { Capability, Traits } from './actions/traits.js';
export { type BlobStoreFixture, blobStoreSuite } from './blob-store.js';
export type {
  BlobStoreSuiteOptions,
  DriverFixture,
  DriverSuiteOptions,
  OpenDriver,
} from './driver-suite.js';
export { type HttpFixture, httpSuite } from './http-suite.js';
export { jsonApi } from './json-api/index.js';
export { type MetadataStoreFixture, metadataStoreSuite } from './metadata-store.js';
export { s3 } from './s3/index.js';
export { ConformanceError, type TestFunction } from './suite.js';
