import { type Client, createClient } from './client/client.js';
import type { BlobStore } from './contracts/blob-store.js';
import type { MetadataStore } from './contracts/metadata-store.js';
import type { Principal } from './contracts/principal.js';
import { checkPrincipal, SYSTEM } from './engine/access/principal.js';
import type { BackupOptions, BackupReport } from './engine/backup/backup-options.js';
import { CallerLimit } from './engine/concurrency/caller-limit.js';
import { KnownValues } from './engine/concurrency/known-values.js';
import { NamedLock } from './engine/concurrency/lock.js';
import { type StorageEventName, StorageEvents, type StorageListener } from './engine/events.js';
import { BlobIdPool } from './engine/garbage/reservations.js';
import type { SweepResult } from './engine/garbage/sweep.js';
import { type Health, type HealthOptions, health } from './engine/health.js';
import { type CheckResult, check } from './engine/integrity/check.js';
import type { ScrubOptions, ScrubReport } from './engine/integrity/scrub.js';
import { openRecords } from './engine/open-records.js';
import { newId, type Store } from './engine/store.js';
import { createHandler, type Handler } from './http/handler.js';
import type { ErrorContext, HandlerOptions } from './http/handler-options.js';
import { jsonApi } from './json-api/json-api.js';
import {
  MAX_APPEND_MEMORY,
  MAX_BUCKETS_PER_OWNER,
  MAX_INLINE_BYTES,
  MAX_SEGMENTS,
  MAX_UPLOADS_PER_BUCKET,
} from './limits.js';
import { createBackgroundJobs, type Lifecycle, type Maintenance } from './maintenance.js';
import { checkOptions, type KnownOptions, kinds } from './options.js';
import { guarded } from './reporting.js';

export interface ObjectStorageOptions {
  /** Where the bytes are. */
  readonly blobs: BlobStore;
  /** Where the records are. */
  readonly metadata: MetadataStore;
  /** Objects up to this many bytes live in a record: no file, one sync. Default 64 KiB, at most 16 MiB. */
  readonly inlineLimit?: number | undefined;
  /** Milliseconds for which replaced bytes stay, so that running downloads end. Default 1 hour. */
  readonly readGrace?: number | undefined;
  /**
   * Milliseconds. The body of a getObject of which something was read, and then nothing more for so
   * long, fails with RequestTimeout and lets go of its file. Default 60 s; 0: never.
   */
  readonly readTimeout?: number | undefined;
  /**
   * Appends up to this many bytes wait in memory for their commit; more go to a blob of their own.
   * Default 1 MiB, at most 64 MiB.
   */
  readonly appendMemory?: number | undefined;
  /** An object of more segments than this keeps them in a record of their own. Default 64. */
  readonly segmentsInRecord?: number | undefined;
  /** An object has at most so many segments: of more, neighbours are joined. Default and maximum 10,000. */
  readonly maxSegments?: number | undefined;
  /** Milliseconds between two removals of garbage; `false` leaves it to `sweep()`. Default 1 min. */
  readonly sweepEvery?: number | false | undefined;
  /**
   * Ids of new blobs that are reserved before they are needed: a large upload then waits for one
   * commit less. Default 8; 0: none; at most 1,000.
   */
  readonly reservedBlobs?: number | undefined;
  /**
   * Copies of one caller that read bytes at the same time; anonymous callers count as one. Others
   * wait, and of many more some are refused with ServiceUnavailable. Default 4.
   */
  readonly copiesPerPrincipal?: number | undefined;
  /**
   * Bytes that structured bodies, such as JSON, appends that wait in memory and large responses may
   * take together. More bodies and responses are refused with SlowDown, except small ones. Default
   * 64 MiB.
   */
  readonly jsonMemory?: number | undefined;
  /** Answered by GetBucketLocation. Default `local`. */
  readonly location?: string | undefined;
  /** Default 100. */
  readonly maxBucketsPerOwner?: number | undefined;
  /** Unfinished uploads that a bucket may have. Several processes may go beyond it. Default 10,000. */
  readonly maxUploadsPerBucket?: number | undefined;
  /**
   * Every `userId` is unique across all tenants. Then a grant to `u-bob` is for the one user of that
   * id. Default false: it is for the user of the bucket owner's tenant, and a grant to a user of
   * another tenant names it.
   */
  readonly uniqueUserIds?: boolean | undefined;
  /**
   * Nothing is public, whatever access control lists say: a list with a grant to `*` is refused, and
   * one that exists gives nobody anything through it. Default false.
   */
  readonly blockPublicAccess?: boolean | undefined;
  /** The time in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Told about failures that no caller learns the cause of. Default: a warning of the process. */
  readonly onError?: ((error: unknown, context?: ErrorContext) => void) | undefined;
}

const YEAR = 365 * 24 * 60 * 60 * 1000;

/** What these options may be. */
export const STORAGE_OPTIONS: KnownOptions<ObjectStorageOptions> = {
  blobs: kinds.required({ ...kinds.anObject, is: 'a BlobStore, such as filesystemBlobs() makes' }),
  metadata: kinds.required({
    ...kinds.anObject,
    is: 'a MetadataStore, such as lmdbMetadata() makes',
  }),
  inlineLimit: kinds.whole(0, MAX_INLINE_BYTES),
  readGrace: {
    is: 'a number of milliseconds from 0 to that of 100 years',
    fits: (value) => kinds.milliseconds.fits(value) && (value as number) <= 100 * YEAR,
  },
  readTimeout: kinds.milliseconds,
  appendMemory: kinds.whole(0, MAX_APPEND_MEMORY),
  maxSegments: kinds.whole(2, MAX_SEGMENTS),
  reservedBlobs: kinds.whole(0, 1000),
  copiesPerPrincipal: kinds.whole(1),
  jsonMemory: kinds.whole(),
  segmentsInRecord: kinds.whole(),
  sweepEvery: kinds.orFalse(kinds.interval),
  location: kinds.text,
  maxBucketsPerOwner: kinds.whole(),
  maxUploadsPerBucket: kinds.whole(),
  uniqueUserIds: kinds.aBoolean,
  blockPublicAccess: kinds.aBoolean,
  now: kinds.aFunction,
  onError: kinds.aFunction,
};

/**
 * An object storage. Its operations act as the host itself, which may do everything; buckets that
 * it creates belong to {@link SYSTEM}.
 */
export interface ObjectStorage extends Client {
  /** The same operations on behalf of a caller, or of an anonymous one. */
  as(principal: Principal | undefined): Client;
  /** Answers HTTP requests. Adapters call it; hosts use an adapter. */
  handler(options?: HandlerOptions): Handler;
  /** Listens for what was committed. Returns a function that ends the listening. */
  on(name: StorageEventName, listener: StorageListener): () => void;
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
  const jobs = createBackgroundJobs(store, { sweepEvery, onError });
  // Copying the many methods of a client would take longer than making them.
  return Object.assign(createClient(store, SYSTEM, true), {
    as: (principal: Principal | undefined) => createClient(store, checkPrincipal(principal), false),
    handler: (handlerOptions?: HandlerOptions) =>
      createHandler(store, jsonApi, handlerOptions, onError),
    on: (name: StorageEventName, listener: StorageListener) => store.events.on(name, listener),
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
        .then(() => metadata.close())
        .then(() => blobs.close());
      return closing;
    },
  });
}

/** Times are in the keys of records, so they are whole, and have as many digits as there is room for. */
const wholeMilliseconds = (clock: () => number) => (): number => {
  const time = clock();
  if (Number.isFinite(time) && time >= 0 && time < LATEST) return Math.floor(time);
  throw new TypeError('The option now must return milliseconds since 1970.');
};

/** In the year 5038. */
const LATEST = 1e14 - 100 * YEAR;

const warn = (error: unknown): void =>
  process.emitWarning(error instanceof Error ? error : String(error));
