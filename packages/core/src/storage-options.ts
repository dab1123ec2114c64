import type { BlobStore } from './contracts/blob-store.js';
import type { MetadataStore } from './contracts/metadata-store.js';
import type { ErrorContext } from './http/handler-options.js';
import { MAX_APPEND_MEMORY, MAX_INLINE_BYTES, MAX_SEGMENTS } from './limits.js';
import { type KnownOptions, kinds } from './options.js';

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
  /**
   * Threads that hash bodies of 1 MiB and more, so that an upload receives, hashes and writes at once.
   * They start with the first such body. Default: one less than the processors, at most 4, and none
   * while the load of the system is more than twice the number of its processors. 0: none.
   */
  readonly hashThreads?: number | undefined;
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

/** Times are in the keys of records, so they are whole, and have as many digits as there is room for. */
export const wholeMilliseconds = (clock: () => number) => (): number => {
  const time = clock();
  if (Number.isFinite(time) && time >= 0 && time < LATEST) return Math.floor(time);
  throw new TypeError('The option now must return milliseconds since 1970.');
};

/** In the year 5038. */
const LATEST = 1e14 - 100 * YEAR;
