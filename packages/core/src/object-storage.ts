import { type Client, createClient } from './client/client.js';
import type { Principal } from './contracts/principal.js';
import { checkPrincipal, SYSTEM } from './engine/access/principal.js';
import type { BackupOptions, BackupReport } from './engine/backup/backup-options.js';
import { allBuckets, type KnownBucket } from './engine/buckets/list.js';
import { CallerLimit } from './engine/concurrency/caller-limit.js';
import { KnownValues } from './engine/concurrency/known-values.js';
import { NamedLock } from './engine/concurrency/lock.js';
import { ChunkBuffers } from './engine/content/chunk-buffers.js';
import { HashThreads } from './engine/content/hash-threads.js';
import { type StorageEventName, StorageEvents, type StorageListener } from './engine/events.js';
import { BlobIdPool } from './engine/garbage/reservations.js';
import type { SweepResult } from './engine/garbage/sweep.js';
import { type Health, type HealthOptions, health } from './engine/health.js';
import { type CheckResult, check } from './engine/integrity/check.js';
import type { ScrubOptions, ScrubReport } from './engine/integrity/scrub.js';
import { openRecords } from './engine/open-records.js';
import { newId, type Store } from './engine/store.js';
import { createHandler, type Handler } from './http/handler.js';
import type { HandlerOptions } from './http/handler-options.js';
import { type RequestObserver, RequestObservers } from './http/request-observers.js';
import { jsonApi } from './json-api/json-api.js';
import { MAX_BUCKETS_PER_OWNER, MAX_SEGMENTS, MAX_UPLOADS_PER_BUCKET } from './limits.js';
import { createBackgroundJobs, type Lifecycle, type Maintenance } from './maintenance.js';
import { checkOptions, kinds } from './options.js';
import { guarded } from './reporting.js';
import {
  type ObjectStorageOptions,
  STORAGE_OPTIONS,
  wholeMilliseconds,
} from './storage-options.js';

/**
 * An object storage. Its operations act as the host itself, which may do everything; buckets that
 * it creates belong to {@link SYSTEM}.
 */
export interface ObjectStorage extends Client {
  /** The same operations on behalf of a caller, or of an anonymous one. */
  as(principal: Principal | undefined): Client;
  /** Answers HTTP requests. Adapters call it; hosts use an adapter. */
  handler(options?: HandlerOptions): Handler;
  /** The buckets of all owners, sorted by name. ListBuckets returns those of its caller. */
  allBuckets(): AsyncGenerator<KnownBucket, void>;
  /** Listens for what was committed. Returns a function that ends the listening. */
  on(name: StorageEventName, listener: StorageListener): () => void;
  /**
   * Observes the HTTP requests to the storage, for metrics, traces and logs: a function that is called
   * when a response has been sent or the client has left, or an object that also learns when a
   * request begins. Returns a function that ends the observation; requests that have begun are still
   * reported.
   *
   * ```ts
   * storage.observe(({ operation, status, duration }) => console.log(operation, status, duration));
   * ```
   */
  observe(observer: RequestObserver | RequestObserver['end']): () => void;
  /** Applies lifecycle rules, and explains them. */
  readonly lifecycle: Lifecycle;
  /** Lifecycle rules, garbage and expired results, regularly. */
  readonly maintenance: Maintenance;
  /** Removes the bytes that no object needs any more and whose grace is over. */
  sweep(): Promise<SweepResult>;
  /** Compares records and bytes. */
  check(): Promise<CheckResult>;
  /** Reads and verifies the bytes of all objects and parts, and deletes nothing. */
  scrub(options?: ScrubOptions): Promise<ScrubReport>;
  /**
   * Backs up the storage to a directory while it is in use: the records as of one instant, and the
   * blobs that they name. Blobs that an earlier backup has there are not copied again. Until the new
   * backup is whole, the one before it stays.
   *
   * Rejects when the directory has something else, when another call uses it, or when the metadata
   * store has no snapshots.
   */
  backup(directory: string, options?: BackupOptions): Promise<BackupReport>;
  /** Whether records and blobs can be reached, and which of them is at fault. Never rejects. */
  health(options?: HealthOptions): Promise<Health>;
  /** Ends the work in the background and closes the drivers. */
  close(): Promise<void>;
}

/** Opens a storage on two drivers. Refuses records and bytes that do not belong together. */
export async function createObjectStorage(options: ObjectStorageOptions): Promise<ObjectStorage> {
  checkOptions('createObjectStorage()', options, STORAGE_OPTIONS);
  const { blobs, metadata, sweepEvery = 60_000 } = options;
  const now = wholeMilliseconds(options.now ?? Date.now);
  const { maxSegments = MAX_SEGMENTS } = options;
  now();
  const onError = guarded(options.onError ?? warn);
  const arriving = new Set<string>();
  const ahead = options.reservedBlobs ?? 8;
  const reservedIds = new BlobIdPool({ metadata, now, arriving }, ahead);
  const store: Store = {
    blobs,
    metadata,
    now,
    writer: newId(),
    events: new StorageEvents(onError),
    knownBuckets: new Map(),
    knownExpirations: new KnownValues(64 * 1024 * 1024),
    uploadRoom: new Map(),
    arriving,
    reservedIds,
    suspects: new Set(),
    seenRuns: new Map(),
    copyLimit: new CallerLimit(options.copiesPerPrincipal ?? 4, 64, 'copies read bytes'),
    workLimit: new CallerLimit(4, 1000, 'listings and batches are under way'),
    jsonMemory: {
      most: options.jsonMemory ?? 64 * 1024 * 1024,
      held: 0,
      callers: new Map(),
    },
    hasher: new HashThreads(options.hashThreads),
    chunkBuffers: new ChunkBuffers(),
    tails: { lock: new NamedLock(), sealed: new Set() },
    settings: {
      inlineLimit: options.inlineLimit ?? 64 * 1024,
      readGrace: Math.round(options.readGrace ?? 60 * 60 * 1000),
      readTimeout: options.readTimeout ?? 60_000,
      appendMemory: options.appendMemory ?? 1024 * 1024,
      segmentsInRecord: Math.min(options.segmentsInRecord ?? 64, maxSegments >> 1),
      maxSegments,
      location: options.location ?? 'local',
      maxBucketsPerOwner: options.maxBucketsPerOwner ?? MAX_BUCKETS_PER_OWNER,
      maxUploadsPerBucket: options.maxUploadsPerBucket ?? MAX_UPLOADS_PER_BUCKET,
      uniqueUserIds: options.uniqueUserIds ?? false,
      blockPublicAccess: options.blockPublicAccess ?? false,
    },
  };
  await openRecords(store);

  let closing: Promise<void> | undefined;
  const observers = new RequestObservers(onError);
  const jobs = createBackgroundJobs(store, { sweepEvery, onError });
  // Copying the many methods of a client would take longer than making them.
  return Object.assign(createClient(store, SYSTEM, true), {
    as: (principal: Principal | undefined) => createClient(store, checkPrincipal(principal), false),
    handler: (handlerOptions?: HandlerOptions) =>
      createHandler(store, jsonApi, observers, handlerOptions, onError),
    allBuckets: () => allBuckets(store),
    on: (name: StorageEventName, listener: StorageListener) => store.events.on(name, listener),
    observe: (observer: RequestObserver | RequestObserver['end']) => observers.add(observer),
    lifecycle: jobs.lifecycle,
    maintenance: jobs.maintenance,
    sweep: jobs.sweep,
    check: () => check(store),
    scrub: jobs.scrub,
    async health(asked: HealthOptions = {}) {
      checkOptions('storage.health()', asked, { timeout: kinds.interval });
      return health(store, asked);
    },
    backup: jobs.backup,
    close() {
      closing ??= jobs
        .stop()
        // What is not given back has tombstones, and is swept in a week.
        .then(() => reservedIds.close().catch(onError))
        .then(() => store.hasher.close())
        .then(() => metadata.close())
        .then(() => blobs.close());
      return closing;
    },
  });
}

const warn = (error: unknown): void =>
  process.emitWarning(error instanceof Error ? error : String(error));
