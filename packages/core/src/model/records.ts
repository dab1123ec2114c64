import type { Principal } from '../contracts/principal.js';

/** A header of an object: lower-case name, and the value as the bytes that came (Latin-1 text). */
export type HeaderPair = readonly [name: string, value: string];

/** `length` bytes of a blob, from `offset` on. */
export interface Segment {
  readonly blob: string;
  readonly offset: number;
  readonly length: number;
}

/** Where an object's bytes are: in a record of their own when they are few, else in blobs. */
export type Content = { readonly inline: string } | { readonly segments: readonly Segment[] };

/** Times in records are milliseconds since 1970. */
export interface BucketRecord {
  readonly owner: Principal;
  readonly created: number;
  readonly storageClass: string;
  /**
   * Set while DeleteBucket looks for objects. A commit that adds one clears it, so the deletion
   * notices, however the two interleave.
   */
  readonly closing: boolean;
}

export interface ObjectRecord {
  readonly type: 'Normal' | 'Appendable';
  readonly size: number;
  /** Without quotes. */
  readonly etag: string;
  /** Hexadecimal MD5 of the bytes. Absent where it was never computed over the whole. */
  readonly md5?: string;
  readonly crc32?: number;
  readonly lastModified: number;
  readonly storageClass: string;
  /** Content-Type and the other headers that GetObject gives back. */
  readonly headers: readonly HeaderPair[];
  /** User metadata, names without their `x-svc-meta-`. */
  readonly metadata: readonly HeaderPair[];
  readonly content: Content;
}

/** The bytes of a small object. */
export interface InlineRecord {
  readonly bytes: Uint8Array;
}

/** Which storage the records belong to. `claimed` once the blobs carry the same id. */
export interface StoreRecord {
  readonly id: string;
  readonly layout: number;
  readonly claimed: boolean;
}
