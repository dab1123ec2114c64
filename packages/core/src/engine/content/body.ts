import type { MemoryShare } from '../concurrency/memory-share.js';
import type { Checksum } from '../records/checksums.js';
import type { ExpectedDigests } from './digests.js';
import type { RunningDigests } from './whole-digests.js';

/** An incoming body. */
export interface Body {
  readonly source: AsyncIterable<Uint8Array>;
  /** The announced length; `undefined` for a chunked body. */
  readonly length: number | undefined;
  /**
   * The whole body at once, which is faster if it is small. If it returns `undefined`, read
   * `source`.
   */
  whole?(): Promise<Uint8Array> | undefined;
  /** Compares the checksums of the complete data with those that were announced after it. */
  verify?(checksums: readonly Checksum[]): void;
  readonly signal?: AbortSignal | undefined;
}

/** A body without bytes. */
export const NOTHING: Body = { source: { async *[Symbol.asyncIterator]() {} }, length: 0 };

export interface ReceiveOptions {
  /** The largest body in bytes. */
  readonly limit: number;
  readonly expected: ExpectedDigests;
  /** Bodies of up to this many bytes stay in memory. 0 writes every body to a blob. */
  readonly memory: number;
  /** Counts the bytes in memory. The caller releases them when they are no longer needed. */
  readonly share?: MemoryShare;
  /** The digests of a growing object, which continue with this body. */
  readonly whole?: RunningDigests;
}
