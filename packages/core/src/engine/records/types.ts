import type { Principal } from '../../contracts/principal.js';
import type { Grant } from '../access/acl.js';
import type { CorsRule } from '../buckets/cors.js';
import type { LifecycleRule } from '../lifecycle/rules.js';

/** A header of an object: lower-case name, and the value as the bytes that came (Latin-1 text). */
export type HeaderPair = readonly [name: string, value: string];

/** `length` bytes of a blob, from `offset` on. */
export interface Segment {
  readonly blob: string;
  readonly offset: number;
  readonly length: number;
  /** Of exactly these bytes, taken when they came in. */
  readonly crc32: number;
}

/** Where bytes are: in a record of their own when they are few, else in blobs. */
export type Content = Inline | Segments;

/** The id of the record that holds the bytes, and their checksum. */
export interface Inline {
  readonly inline: string;
  readonly crc32: number;
}

/** The segments of a manifest record first, when there is one, then these. */
export interface Segments {
  readonly manifest?: string;
  readonly segments: readonly Segment[];
}

/** Times in records are milliseconds since 1970. */
export interface BucketRecord {
  /**
   * Under which the bucket's objects, uploads and settings stand. Absent in buckets that layout 2
   * made: theirs stand under the name.
   */
  readonly id?: string;
  readonly owner: Principal;
  readonly created: number;
  readonly storageClass: string;
  /**
   * Set while DeleteBucket looks for objects. A commit that adds one clears it, so the deletion
   * notices, however the two interleave.
   */
  readonly closing: boolean;
  /** Which settings have a record of their own. */
  readonly settings: readonly SettingName[];
}

export interface BucketSettings {
  readonly acl: readonly Grant[];
  readonly cors: readonly CorsRule[];
  readonly lifecycle: readonly LifecycleRule[];
}

export type SettingName = keyof BucketSettings;

/** Takes the place of the bucket's list where the object is read. */
export interface OwnAcl {
  readonly acl?: readonly Grant[] | undefined;
  /** A long list has a record of its own, which this is the id of. */
  readonly aclId?: string | undefined;
}

export interface ObjectRecord extends OwnAcl {
  readonly type: 'Normal' | 'Appendable';
  readonly size: number;
  /** Without quotes. */
  readonly etag: string;
  /** Hexadecimal MD5 of the bytes. Absent where it was never computed over the whole. */
  readonly md5?: string | undefined;
  readonly crc32?: number | undefined;
  readonly lastModified: number;
  readonly storageClass: string;
  /** Content-Type and the other headers that GetObject gives back. */
  readonly headers: readonly HeaderPair[];
  /** User metadata, names without their `x-svc-meta-`. */
  readonly metadata: readonly HeaderPair[];
  readonly content: Content;
  /** The upload that it was completed from. */
  readonly upload?: string;
  /** What the next append needs. Only on appendable objects. */
  readonly append?: AppendState;
}

export interface AppendState {
  /** The running MD5, saved so that an append hashes only its own bytes. */
  readonly md5: Uint8Array;
  /** The opened storage that wrote the last segment. No other may write to its blob. */
  readonly writer: string;
}

export interface UploadRecord extends OwnAcl {
  readonly initiated: number;
  /** Who initiated it. */
  readonly owner: Principal;
  readonly storageClass: string;
  readonly headers: readonly HeaderPair[];
  readonly metadata: readonly HeaderPair[];
  /**
   * Set while CompleteMultipartUpload reads the parts. A commit that changes a part clears it, so
   * the completion notices, however the two interleave.
   */
  readonly completing: boolean;
}

export interface PartRecord {
  readonly size: number;
  /** Hexadecimal MD5 of the part. */
  readonly etag: string;
  readonly lastModified: number;
  readonly content: Segments;
}

/** How an upload was completed, kept for a day for a client that lost the answer. */
export interface CompletedRecord {
  /** The id of the bucket. */
  readonly bucket: string;
  readonly key: string;
  /** Digest of the part list. */
  readonly list: string;
}

/** What a garbage entry stands for. */
export type Garbage = 'blob' | 'manifest' | 'upload' | 'completed' | 'bucket' | 'acl';

/** Which storage the records belong to. `claimed` once the blobs carry the same id. */
export interface StoreRecord {
  readonly id: string;
  readonly layout: number;
  readonly claimed: boolean;
}
