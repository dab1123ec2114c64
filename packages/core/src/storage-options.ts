import type { BlobStore } from './contracts/blob-store.js';
import type { MetadataStore } from './contracts/metadata-store.js';
import type { ErrorContext } from './http/handler-options.js';
import { MAX_APPEND_MEMORY, MAX_INLINE_BYTES, MAX_SEGMENTS } from './limits.js';
import { type KnownOptions, kinds } from './options.js';

/** The options of `createObjectStorage()`: the drivers, and settings that all have a default. */
export interface ObjectStorageOptions {
  /** Stores the data of objects. */
  readonly blobs: BlobStore;
  /** Stores the records: buckets, objects, uploads and settings. */
  readonly metadata: MetadataStore;
  /**
   * Objects of up to this many bytes are stored in a record, which needs no file and only one sync.
   * Default 64 KiB, at most 16 MiB.
   */
  readonly inlineLimit?: number | undefined;
  /**
   * How long replaced and deleted data is kept, in milliseconds: for running downloads, and for
   * metadata that goes back to an earlier time. Default 1 hour.
   */
  readonly readGrace?: number | undefined;
  /**
   * How long a body from getObject may wait for its next read once reading has begun, in
   * milliseconds. After that it fails with RequestTimeout and its file is closed. Default 60 s; 0
   * means no limit.
   */
  readonly readTimeout?: number | undefined;
  /**
   * Appends of up to this many bytes wait in memory for their commit; larger ones are written to
   * separate blobs. Default 1 MiB, at most 64 MiB.
   */
  readonly appendMemory?: number | undefined;
  /**
   * The number of threads that hash bodies of 1 MiB and more, so that an upload receives, hashes
   * and writes in parallel. They start with the first such body. Default: one less than the number
   * of processors, at most 4; none while the load of the system is more than twice the number of
   * processors. 0 disables them.
   */
  readonly hashThreads?: number | undefined;
  /**
   * If an object has more than this many segments, they are stored in a separate record. Default
   * 64.
   */
  readonly segmentsInRecord?: number | undefined;
  /**
   * The maximum number of segments of an object. Beyond that, adjacent segments are joined. Default
   * and maximum 10,000.
   */
  readonly maxSegments?: number | undefined;
  /**
   * The interval between removals of garbage, in milliseconds; `false` leaves them to `sweep()`.
   * Default 1 minute.
   */
  readonly sweepEvery?: number | false | undefined;
  /**
   * How many ids of new blobs are reserved in advance, so that a large upload waits for one commit
   * fewer. Default 8; 0 reserves none; at most 1,000.
   */
  readonly reservedBlobs?: number | undefined;
  /**
   * How many copy operations of one caller may read data, or share more than `segmentsInRecord`
   * segments, at the same time; all anonymous callers count as one. Further ones wait; beyond 64
   * that wait, they fail with ServiceUnavailable. Default 4.
   */
  readonly copiesPerPrincipal?: number | undefined;
  /**
   * How many bytes JSON and XML bodies and appends that wait in memory may take together. Large
   * responses may take as much again. Beyond that, all but small bodies and responses fail with
   * SlowDown. Default 64 MiB.
   */
  readonly jsonMemory?: number | undefined;
  /** Returned by GetBucketLocation. Default `local`. */
  readonly location?: string | undefined;
  /** How many buckets one owner may have. Default 100. */
  readonly maxBucketsPerOwner?: number | undefined;
  /**
   * The maximum number of unfinished uploads in a bucket. Several processes together may exceed it.
   * Default 10,000.
   */
  readonly maxUploadsPerBucket?: number | undefined;
  /**
   * Whether every `userId` is unique across all tenants, so that a grant to `u-bob` applies to the
   * one user with that id. Default false: it applies to the user in the bucket owner's tenant, and
   * a grant to a user of another tenant must name the tenant.
   */
  readonly uniqueUserIds?: boolean | undefined;
  /**
   * Whether to block public access, whatever access control lists say: requests that set a list
   * with a grant to `*` fail with AccessDenied, and such grants in existing lists have no effect.
   * Default false.
   */
  readonly blockPublicAccess?: boolean | undefined;
  /** The time in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /**
   * Called with each failure whose cause is not reported to a caller. Default: emits a process
   * warning.
   */
  readonly onError?: ((error: unknown, context?: ErrorContext) => void) | undefined;
}

const YEAR = 365 * 24 * 60 * 60 * 1000;

/** The allowed values of these options. */
export const STORAGE_OPTIONS: KnownOptions<ObjectStorageOptions> = {
  blobs: kinds.required(
    kinds.having(
      'a BlobStore, such as filesystemBlobs()',
      ...['identity', 'identify', 'write', 'read', 'share', 'remove', 'list', 'close'],
    ),
  ),
  metadata: kinds.required(
    kinds.having(
      'a MetadataStore, such as lmdbMetadata()',
      ...['get', 'getMany', 'list', 'commit', 'close'],
    ),
  ),
  inlineLimit: kinds.whole(0, MAX_INLINE_BYTES),
  readGrace: {
    is: 'a number of milliseconds from 0 to 100 years',
    fits: (value) => kinds.milliseconds.fits(value) && (value as number) <= 100 * YEAR,
  },
  readTimeout: kinds.milliseconds,
  appendMemory: kinds.whole(0, MAX_APPEND_MEMORY),
  hashThreads: kinds.whole(0, 64),
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
 * Times are parts of record keys, so they must be whole numbers with a limited number of digits.
 */
export const wholeMilliseconds = (clock: () => number) => (): number => {
  const time = clock();
  if (Number.isFinite(time) && time >= 0 && time < LATEST) return Math.floor(time);
  throw new TypeError('The option now must return milliseconds since 1970.');
};

/** A time in the year 5038. */
const LATEST = 1e14 - 100 * YEAR;
