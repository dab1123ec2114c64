import { type Client, createClient } from './client/client.js';
import type { Principal } from './contracts/principal.js';
import { checkPrincipal, SYSTEM } from './engine/access/principal.js';
import type { BackupOptions, BackupReport } from './engine/backup/backup-options.js';
import { allBuckets, type KnownBucket } from './engine/buckets/list.js';
import { CallerLimit } from './engine/concurrency/caller-limit.js';
import { Contenders } from './engine/concurrency/contenders.js';
import { KeptLists, MOST_WAITING } from './engine/concurrency/kept-lists.js';
import { KnownValues } from './engine/concurrency/known-values.js';
import type { SharedMemory } from './engine/concurrency/memory-share.js';
import { OpenLimit } from './engine/concurrency/open-limit.js';
import { Tails } from './engine/concurrency/tails.js';
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
 * An object storage. Its operations act as your app itself, which may do everything; buckets that
 * it creates belong to {@link SYSTEM}.
 */
export interface ObjectStorage extends Client {
  /** The same operations on behalf of a caller. `undefined` means an anonymous caller. */
  as(principal: Principal | undefined): Client;
  /** Creates a handler for HTTP requests. Adapters call it; apps use an adapter. */
  handler(options?: HandlerOptions): Handler;
  /** The buckets of all owners, sorted by name. ListBuckets returns only those of its caller. */
  allBuckets(): AsyncGenerator<KnownBucket, void>;
  /**
   * Calls the listener for each event, once its change is committed. Returns a function that
   * removes the listener.
   */
  on(name: StorageEventName, listener: StorageListener): () => void;
  /**
   * Observes the HTTP requests to the storage, for metrics, traces and logs. Takes a function that
   * is called when a response has been sent or the client has disconnected, or an object that is
   * also notified when a request begins. Returns a function that ends the observation; requests
   * that have already begun are still reported.
   *
   * ```ts
   * storage.observe(({ operation, status, duration }) => console.log(operation, status, duration));
   * ```
   */
  observe(observer: RequestObserver | RequestObserver['end']): () => void;
  /** Applies the lifecycle rules, and explains what they will do to an object. */
  readonly lifecycle: Lifecycle;
  /** Applies lifecycle rules and removes garbage at regular intervals. */
  readonly maintenance: Maintenance;
  /** Removes data that no object needs any more and whose read grace period is over. */
  sweep(): Promise<SweepResult>;
  /**
   * Compares records and blobs, and reports missing and orphaned blobs. Changes nothing. Call it
   * while nothing else uses the storage; otherwise changes may be reported as problems.
   */
  check(): Promise<CheckResult>;
  /** Reads and verifies the data of all objects and parts. Deletes nothing. */
  scrub(options?: ScrubOptions): Promise<ScrubReport>;
  /**
   * Backs up the storage to a directory while it is in use: the records as of one instant, and the
   * blobs that they name. Blobs that an earlier backup has copied there are not copied again. The
   * previous backup stays until the new one is complete.
   *
   * Rejects when the directory contains something else, when another call uses it, or when the
   * metadata store has no snapshots.
   */
  backup(directory: string, options?: BackupOptions): Promise<BackupReport>;
  /**
   * Reports whether the records and the blobs can be reached. Rejects only with a TypeError for an
   * invalid option.
   */
  health(options?: HealthOptions): Promise<Health>;
  /** Ends the background jobs and closes the drivers. */
  close(): Promise<void>;
}

/**
 * Opens a storage on two drivers. Rejects if the records and blobs do not belong together, or if a
 * later version wrote them; with a TypeError for an invalid option.
 */
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
  const id = await openRecords({ metadata, blobs });
  const store: Store = {
    id,
    blobs,
    metadata,
    now,
    writer: newId(),
    events: new StorageEvents(onError),
    knownBuckets: new Map(),
    keptGrants: new KeptLists(MOST_LISTS),
    keptOwnGrants: new KeptLists(MOST_LISTS),
    keptCorsRules: new KeptLists(MOST_LISTS),
    keptManifests: new KeptLists(MOST_LISTS, (packed) => packed.length),
    keptParts: new KeptLists(MOST_LISTS, ({ packed }) => packed.length),
    knownExpirations: new KnownValues(64 * 1024 * 1024),
    prepareLimit: new CallerLimit(1, Number.POSITIVE_INFINITY, 'rules are being read'),
    expirationLimit: new CallerLimit(MOST_WAITING, 0, 'requests that wait for lifecycle rules'),
    preflightLimit: new CallerLimit(1, 1000, 'preflights are waiting'),
    contenders: new Contenders(),
    uploadRoom: new Map(),
    arriving,
    reservedIds,
    suspects: new Set(),
    seenRuns: new Map(),
    copyLimit: new CallerLimit(options.copiesPerPrincipal ?? 4, 64, 'copies are running'),
    openLimit: new OpenLimit(),
    workLimit: new CallerLimit(4, 1000, 'listings and batches are running'),
    ruleLimit: new CallerLimit(4, Number.POSITIVE_INFINITY, 'rules are running'),
    jsonMemory: memoryLimit(options),
    responseMemory: memoryLimit(options),
    hasher: new HashThreads(options.hashThreads),
    chunkBuffers: new ChunkBuffers(),
    tails: new Tails(),
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
  let closing: Promise<void> | undefined;
  const observers = new RequestObservers(onError);
  const jobs = createBackgroundJobs(store, { sweepEvery, onError });
  // Copying the many methods of a client would take longer than creating them.
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
    async health(options: HealthOptions = {}) {
      checkOptions('storage.health()', options, { timeout: kinds.interval });
      return health(store, options);
    },
    backup: jobs.backup,
    close() {
      closing ??= jobs
        .stop()
        // Ids that are not released have tombstones, and a sweep removes them after a week.
        .then(() => reservedIds.close().catch(onError))
        .then(() => store.hasher.close())
        .then(() => metadata.close())
        .finally(() => blobs.close());
      return closing;
    },
  });
}

/** How many bytes the kept lists of each kind may take. */
const MOST_LISTS = 16 * 1024 * 1024;

const memoryLimit = ({ jsonMemory = 64 * 1024 * 1024 }: ObjectStorageOptions): SharedMemory => ({
  most: jsonMemory,
  held: 0,
  callers: new Map(),
});

const warn = (error: unknown): void =>
  process.emitWarning(error instanceof Error ? error : String(error));
