import { randomUUID } from 'node:crypto';
import type { BlobStore } from '../contracts/blob-store.js';
import type { MetadataStore } from '../contracts/metadata-store.js';
import type { CallerLimit } from './concurrency/caller-limit.js';
import type { NamedLock } from './concurrency/lock.js';
import type { SharedMemory } from './concurrency/memory-share.js';
import type { StorageEvents } from './events.js';
import type { Reservation } from './records/tombstones.js';

/** What every operation works on. */
export interface Store {
  readonly metadata: MetadataStore;
  readonly blobs: BlobStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Names this opening of the storage. Blobs that grow belong to the one that made them. */
  readonly writer: string;
  /** Blobs that this opening is writing or about to commit: no clock makes them garbage. */
  readonly arriving: Set<string>;
  /** Ids for new blobs. */
  readonly reservedIds: ReservedIds;
  /** The last blobs of appendable objects: one append at a time, none after a failed write. */
  readonly tails: { readonly lock: NamedLock; readonly sealed: Set<string> };
  /** Blobs that were found damaged: verified as a whole before any more of them is given out. */
  readonly suspects: Set<string>;
  /** By name, what the records of buckets said when they were read last. */
  readonly knownBuckets: Map<string, KnownBucket>;
  /** How many uploads each bucket may still begin, by bucket id. */
  readonly uploadRoom: Map<string, UploadRoom>;
  /** Copies that read bytes: a few at a time for each caller. */
  readonly copyLimit: CallerLimit;
  /** What the bodies and answers of requests take, and how much it may be. */
  readonly jsonMemory: SharedMemory;
  readonly events: StorageEvents;
  readonly settings: StoreSettings;
}

export interface StoreSettings {
  /** Objects up to this many bytes live in a record. */
  readonly inlineLimit: number;
  /** Milliseconds for which replaced bytes stay readable for downloads that run. */
  readonly readGrace: number;
  /** Milliseconds for which the body of a program may wait for its next read. 0: for ever. */
  readonly readTimeout: number;
  /** Appends up to this many bytes wait in memory for their commit. */
  readonly appendMemory: number;
  /** So many segments stand in the object's own record; more go to a manifest. */
  readonly segmentsInRecord: number;
  /** An object has at most so many segments: of more, neighbours are joined by copying. */
  readonly maxSegments: number;
  /** Answered by GetBucketLocation. */
  readonly location: string;
  readonly maxBucketsPerOwner: number;
  /** Unfinished uploads of a bucket, about. */
  readonly maxUploadsPerBucket: number;
  /** Grants that name no tenant are for a user id of any tenant. */
  readonly uniqueUserIds: boolean;
  /** Grants to everybody are refused, and those that exist allow nothing. */
  readonly blockPublicAccess: boolean;
}

/** Ids whose tombstones are durable before anybody asks for them. */
export interface ReservedIds {
  /** Ids of blobs that the caller may write now. */
  take(count: number): Promise<Reservation[]>;
  /** Ids that are too old are not used any more: a sweep removes their tombstones in time. */
  forgetStale(): void;
  /** Another process has swept before the time: no id is to be trusted. */
  forgetAll(): void;
}

/** What the record of a bucket said when it was read last: another process may have changed it. */
export interface KnownBucket {
  readonly id: string;
  readonly hasAcl: boolean;
}

/** What this process knows about the unfinished uploads of a bucket. */
export interface UploadRoom {
  /** So many may begin before they are counted again. */
  left: number;
  /** When a count found no room. */
  fullAt?: number | undefined;
  /** Runs once for all who wait for it. */
  counting?: Promise<void> | undefined;
  /** Uploads that begin at this moment: a count may or may not include them. */
  readonly beginning: Set<Promise<unknown>>;
}

/** An id that nobody can guess and that never comes twice: 32 hexadecimal digits. */
export const newId = (): string => randomUUID().replaceAll('-', '');
