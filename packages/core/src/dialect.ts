/*
 * The parts for building a dialect: the actions of the storage, and the HTTP code that all dialects
 * share.
 */
export type { Conventions } from './actions/conventions.js';
export { actions } from './actions/index.js';
export {
  type Checksum,
  type ChecksumAlgorithm,
  type ObjectChecksum,
  startChecksum,
  uploadChecksum,
} from './actions/parameters/checksums.js';
export type { CorsRule } from './actions/parameters/cors-rules.js';
export type { Grant, Grantee } from './actions/parameters/grants.js';
export type {
  BucketLifecycleRule,
  GivenLifecycleRule,
} from './actions/parameters/lifecycle-rules.js';
export { RawMetadata, RawValue } from './actions/parameters/object-headers.js';
export type { Tags } from './actions/parameters/tags.js';
export type { StoredObject } from './actions/stored-object.js';
export { createYielder } from './engine/concurrency/yielder.js';
export { type ErrorCode, StorageError } from './errors.js';
export { allowLists, changes, type Vocabulary } from './http/allow-list.js';
export { bodyAlreadyRead, keptBytes } from './http/body.js';
export { bodyMemory } from './http/body-memory.js';
export { getConditions, readConditions, removeConditions } from './http/conditions.js';
export { httpDate } from './http/dates.js';
export type { Dialect, Identified, UnderstoodRequest } from './http/dialect.js';
export {
  contentFields,
  field,
  metadataFields,
  pageOf,
  requireFields,
} from './http/form-fields.js';
export { identifyForm } from './http/form-upload.js';
export { type Prefixes, RequestHeaders } from './http/headers.js';
export type {
  BodyTimes,
  RequestBody,
  StorageRequest,
  StorageResponse,
} from './http/message.js';
export {
  contentHeaders,
  contentResponse,
  describeObject,
  type Overrides,
  responseOverrides,
} from './http/object-headers.js';
export { type Operation, operation } from './http/operation.js';
export { preflightHeaders, preflightInput } from './http/preflight.js';
export { headerText, percentDecode, Query, utf8Of } from './http/query.js';
export * from './http/readers.js';
export { empty, errorHeaders, mixed, textType, textual } from './http/responses.js';
export { signedRequests } from './http/signed-requests.js';
export { type BodyTerms, isWithoutBody, type StructuredBody } from './http/structured-body.js';
export { MAX_GRANTS, MAX_LISTED } from './limits.js';
