export type {
  Checksum,
  ChecksumAlgorithm,
  ObjectChecksum,
} from './actions/parameters/checksums.js';
export type { ObjectContent, StoredObject } from './actions/stored-object.js';
export type { Client } from './client/client.js';
export type { Bytes } from './client/given-body.js';
export * from './contracts/blob-store.js';
export * from './contracts/metadata-store.js';
export * from './contracts/principal.js';
export { SYSTEM } from './contracts/principal-form.js';
export type {
  BackupOptions,
  BackupProgress,
  BackupReport,
} from './engine/backup/backup-options.js';
export { type RestoreOptions, restoreStore } from './engine/backup/restore.js';
export type { KnownBucket } from './engine/buckets/list.js';
export { BlobDamagedError, type Damage } from './engine/content/damage.js';
export type { CopyOptions, CopyReport, Drivers } from './engine/copying/copy-options.js';
export { copyStore } from './engine/copying/copy-store.js';
export type { StorageEvent, StorageEventName, StorageListener } from './engine/events.js';
export type { SweepResult } from './engine/garbage/sweep.js';
export type { BackendHealth, Health, HealthOptions } from './engine/health.js';
export type { CheckResult } from './engine/integrity/check.js';
export type { ScrubOptions, ScrubReport } from './engine/integrity/scrub.js';
export type { LifecycleExplanation } from './engine/lifecycle/explain.js';
export type {
  LifecycleOptions,
  LifecycleReport,
  LifecycleStep,
} from './engine/lifecycle/run.js';
export { RecordDamagedError } from './engine/records/kind.js';
export { type ErrorCode, StorageError } from './errors.js';
export type { Handler } from './http/handler.js';
export {
  type ErrorContext,
  type HandlerOptions,
  MIDDLEWARE_OPTIONS,
} from './http/handler-options.js';
export type { Link, Presign } from './http/link.js';
export type { Delivery, StorageRequest, StorageResponse } from './http/message.js';
export type { PlaceOptions } from './http/place-options.js';
export type { ObservedRequest, RequestObserver } from './http/request-observers.js';
export type { Lifecycle, Maintenance } from './maintenance.js';
export { memoryBlobs, memoryMetadata } from './memory/index.js';
export { createObjectStorage, type ObjectStorage } from './object-storage.js';
export { type ObjectStorageOptions, STORAGE_OPTIONS } from './storage-options.js';
