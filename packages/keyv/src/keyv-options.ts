import { type KnownOptions, kinds } from '@bucketware/core/contracts';

export interface KeyvMetadataOptions {
  /**
   * The prefix of every key, so that one Keyv can hold several stores. Up to 64 of the characters
   * a-z, 0-9 and `: . _ { } -`. Default `bucketware:`.
   */
  readonly prefix?: string | undefined;
  /**
   * The maximum length of a value in the Keyv, in characters, from 8,192 to 1,048,576. Default
   * 8,192.
   */
  readonly pageSize?: number | undefined;
  /** The approximate amount of memory for cached pages, in bytes. Default 64 MiB. */
  readonly cacheBytes?: number | undefined;
  /**
   * How long a call to the Keyv may take before it fails, in milliseconds. A call to this store may
   * make several calls to the Keyv, and fails after twice as long. Default 10,000.
   */
  readonly timeout?: number | undefined;
  /** Accepts a Keyv that keeps everything in memory, for tests. Default `false`. */
  readonly allowMemory?: boolean | undefined;
  /**
   * Whether to use the adapter's compare-and-set, if it has one. With `false`, the store uses only
   * get, set and delete, and only one process may write. Default `true`.
   */
  readonly compareAndSet?: boolean | undefined;
  /**
   * Which processes may write. `many`: all of them, which requires compare-and-set. `one`: only the
   * process that opened the store last; calls of the others reject with a `FencedError`.
   * Reads are then faster, because they need not fetch the root first. Default: `many` if the
   * adapter supports compare-and-set, otherwise `one`.
   */
  readonly writers?: 'one' | 'many' | undefined;
  /**
   * `full` (default): rejects a PostgreSQL, Redis or Valkey that acknowledges commits before they
   * are on the disk, or that does not reveal its settings. Other databases are not checked.
   * `relaxed`: skips the check; a power cut may lose the last commits.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
  /** Whether `close` also disconnects the Keyv. Default `false`. */
  readonly disconnect?: boolean | undefined;
}

/** Several of the longest keys fit into a page of this size. */
export const MIN_PAGE_SIZE = 8192;
const MAX_PAGE_SIZE = 2 ** 20;
const PREFIX = /^[a-z0-9:._{}-]{0,64}$/;

export const OPTIONS: KnownOptions<KeyvMetadataOptions> = {
  prefix: {
    is: 'up to 64 of the characters a-z, 0-9 and : . _ { } -',
    fits: (value) => typeof value === 'string' && PREFIX.test(value),
  },
  pageSize: kinds.whole(MIN_PAGE_SIZE, MAX_PAGE_SIZE),
  cacheBytes: kinds.whole(),
  timeout: kinds.interval,
  allowMemory: kinds.aBoolean,
  compareAndSet: kinds.aBoolean,
  writers: kinds.oneOf('one', 'many'),
  durability: kinds.oneOf('full', 'relaxed'),
  disconnect: kinds.aBoolean,
};
