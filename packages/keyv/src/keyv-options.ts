import { type KnownOptions, kinds } from '@bucketware/core/contracts';

export interface KeyvMetadataOptions {
  /** Prefix of every key, so that one Keyv can hold several stores. Default `bucketware:`. */
  readonly prefix?: string | undefined;
  /** The largest value, in characters, that is given to Keyv. Default 8,192. */
  readonly pageSize?: number | undefined;
  /** How many bytes of memory pages may take, about. Default 64 MB. */
  readonly cacheBytes?: number | undefined;
  /**
   * After how many milliseconds a call to Keyv counts as failed. A call of this store, which may be
   * many of Keyv, fails after twice as long. Default 10,000.
   */
  readonly timeout?: number | undefined;
  /** Accepts a Keyv that keeps everything in memory, for tests. */
  readonly allowMemory?: boolean | undefined;
  /** `false`: uses get, set and delete only, though the adapter could do better. */
  readonly compareAndSet?: boolean | undefined;
  /**
   * `many`: several processes may write, which needs compare-and-set. The default where there is.
   * `one`: the process that opened last; it need not ask for the root before each read.
   */
  readonly writers?: 'one' | 'many' | undefined;
  /**
   * `full`, the default: a PostgreSQL or Redis that answers before it has flushed, or does not say
   * whether it does, is refused. `relaxed`: a power cut may take the last commits. Other databases
   * are not asked.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
  /** Whether `close` disconnects the Keyv too. */
  readonly disconnect?: boolean | undefined;
}

/** Enough for the longest key several times over. */
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
