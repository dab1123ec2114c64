import { randomUUID } from 'node:crypto';
import type { BlobStore } from '../contracts/blob-store.js';
import type { MetadataStore } from '../contracts/metadata-store.js';
import type { CallerLimit } from './concurrency/caller-limit.js';
import type { Contenders } from './concurrency/contenders.js';
import type { KeptLists } from './concurrency/kept-lists.js';
import type { KnownValues } from './concurrency/known-values.js';
import type { SharedMemory } from './concurrency/memory-share.js';
import type { OpenLimit } from './concurrency/open-limit.js';
import type { Tails } from './concurrency/tails.js';
import type { StorageEvents } from './events.js';
import type { BodyHasher } from './hashing.js';
import type { Grant } from './records/acls.js';
import type { ObjectRecord } from './records/objects.js';
import type { PartList } from './records/part-lists.js';
import type { CorsRule } from './records/settings.js';
import type { Reservation } from './records/tombstones.js';

/** What every operation needs of the storage. */
export interface Store {
  /** The id of the storage, which its records and its blobs have. */
  readonly id: string;
  readonly metadata: MetadataStore;
  readonly blobs: BlobStore;
  /** The current time, in milliseconds since 1970. */
  readonly now: () => number;
  /**
   * The id of this opening of the storage. Only the opening that created a growing blob may append
   * to it.
   */
  readonly writer: string;
  /**
   * Blobs that this opening is writing or about to commit: they never become garbage, whatever the
   * clock says.
   */
  readonly arriving: Set<string>;
  /** Ids for new blobs. */
  readonly reservedIds: ReservedIds;
  readonly tails: Tails;
  /**
   * Blobs that were found damaged: each is verified as a whole before any more of it is returned.
   */
  readonly suspects: Set<string>;
  /**
   * The running backups that delay the removal of garbage, by id: their last known renewal, and
   * when this process first saw it.
   */
  readonly seenRuns: Map<string, { readonly renewed: number; readonly since: number }>;
  /** Hashes large bodies in other threads. */
  readonly hasher: BodyHasher;
  /** Memory for the chunks of downloads. */
  readonly chunkBuffers: ChunkMemory;
  /**
   * The ids of buckets when they were last read, by name. Another process may have replaced one.
   */
  readonly knownBuckets: Map<string, string>;
  /** The access control lists of buckets, by bucket id and the version of the bucket's record. */
  readonly keptGrants: KeptLists<readonly Grant[]>;
  /** The long lists of objects, by the id of the list. */
  readonly keptOwnGrants: KeptLists<readonly Grant[]>;
  /** The CORS rules of buckets, by bucket id and the version of the bucket's record. */
  readonly keptCorsRules: KeptLists<readonly CorsRule[]>;
  /** The manifests of objects that are being read, by the id of the manifest. */
  readonly keptManifests: KeptLists<Uint8Array>;
  /** The parts of objects, by the id of the upload that they were completed from. */
  readonly keptParts: KeptLists<PartList>;
  /** What the lifecycle rules of buckets do, by bucket id and the version of the bucket's record. */
  readonly knownExpirations: KnownValues<Expirations>;
  /** Limits how many rules of each owner are prepared at a time. */
  readonly prepareLimit: CallerLimit;
  /** Limits how many reads wait for such rules, for each owner. */
  readonly expirationLimit: CallerLimit;
  /** Limits how many of the preflights that take long are compared at a time, for each owner. */
  readonly preflightLimit: CallerLimit;
  /** The changes that start again because others were faster. */
  readonly contenders: Contenders;
  /** How many uploads may still start in each bucket, by bucket id. */
  readonly uploadRoom: Map<string, UploadRoom>;
  /** Limits the copies that read data: a few at a time for each caller. */
  readonly copyLimit: CallerLimit;
  /**
   * Limits the downloads that each caller opens at a time, of one object and of all: a client may
   * request many and cancel them.
   */
  readonly openLimit: OpenLimit;
  /**
   * Limits work on many records: a few at a time for each caller, so that one cannot block the
   * others.
   */
  readonly workLimit: CallerLimit;
  /** Limits how often listings and batches call the app's own rule at a time for each caller. */
  readonly ruleLimit: CallerLimit;
  /** The memory for bodies of requests, and its limit. */
  readonly jsonMemory: SharedMemory;
  /** The memory for responses, so that bodies never keep callers from reading. */
  readonly responseMemory: SharedMemory;
  readonly events: StorageEvents;
  readonly settings: StoreSettings;
}

/** Reusable memory, and a limit on chunks that are read ahead. */
export interface ChunkMemory {
  /** Memory for a chunk of at most `size` bytes. */
  readonly take: (size: number) => Uint8Array;
  /** Takes back a chunk that will not be used again. */
  give(chunk: Uint8Array): void;
  /** Whether one more chunk may be read ahead of its client. */
  startAhead(): boolean;
  endAhead(): void;
}

export interface StoreSettings {
  /** Objects of up to this many bytes are kept in a record. */
  readonly inlineLimit: number;
  /** How long replaced data stays readable for running downloads, in milliseconds. */
  readonly readGrace: number;
  /**
   * How long a body from getObject may wait for its next read, in milliseconds. 0 means forever.
   */
  readonly readTimeout: number;
  /** Appends of up to this many bytes wait in memory for their commit. */
  readonly appendMemory: number;
  /** The maximum number of segments in the object's own record; more go to a manifest. */
  readonly segmentsInRecord: number;
  /**
   * The maximum number of segments of an object. Beyond that, adjacent segments are joined by
   * copying.
   */
  readonly maxSegments: number;
  /** Returned by GetBucketLocation. */
  readonly location: string;
  readonly maxBucketsPerOwner: number;
  /** The approximate maximum number of unfinished uploads of a bucket. */
  readonly maxUploadsPerBucket: number;
  /** Whether grants without a tenant apply to the user id in any tenant. */
  readonly uniqueUserIds: boolean;
  /** Whether grants to everyone are rejected, and existing ones have no effect. */
  readonly blockPublicAccess: boolean;
}

/** Ids whose tombstones are durable before they are needed. */
export interface ReservedIds {
  /** Ids of blobs that the caller may write now. */
  take(count: number): Promise<Reservation[]>;
  /** Drops ids that are too old to be used: a sweep removes their tombstones. */
  forgetStale(): void;
  /** Drops all reserved ids, because another process has swept too early. */
  forgetAll(): void;
}

/** Which lifecycle rule of a bucket will delete an object, and when. */
export type Expirations = (
  key: string,
  object: ObjectRecord,
) => { readonly ruleId: string; readonly at: Date } | undefined;

/** What this process knows about the unfinished uploads of a bucket. */
export interface UploadRoom {
  /** How many may start before they are counted again. */
  left: number;
  /** When a count last found no room. */
  fullAt?: number | undefined;
  /** One count, shared by all callers that wait for it. */
  counting?: Promise<void> | undefined;
  /** How many wait for the count. */
  waiting: number;
  /** Uploads that are just starting: a count may or may not include them. */
  readonly beginning: Set<Promise<unknown>>;
}

/** An unguessable id that is never repeated: 32 hexadecimal digits. */
export const newId = (): string => randomUUID().replaceAll('-', '');
