import { type Bytes, type Client, StorageError } from '@bucketware/core';
import { checkOptions, type KnownOptions, kinds } from '@bucketware/core/contracts';
import { deleteBelow, keysBelow } from './listing.js';

/** The methods that the driver calls: those of `storage`, or of `storage.as(principal)`. */
export type Objects = Pick<
  Client,
  | 'deleteMultipleObjects'
  | 'deleteObject'
  | 'getObject'
  | 'getObjectMeta'
  | 'listObjects'
  | 'putObject'
>;

export interface BucketDriverOptions {
  /**
   * `storage`, or `storage.as(principal)` to act with the permissions of a principal. Disposing of
   * the driver does not close it.
   */
  readonly storage: Objects;
  /** The name of the bucket, which must exist. */
  readonly bucket: string;
  /** The prefix of all keys of objects, such as `cache/`. It must end with `/`. Default: none. */
  readonly prefix?: string | undefined;
}

const OPTIONS: KnownOptions<BucketDriverOptions> = {
  storage: kinds.required(
    kinds.having(
      'the result of openStorage(), or of storage.as(principal)',
      ...['getObject', 'getObjectMeta', 'putObject', 'deleteObject', 'deleteMultipleObjects'],
      'listObjects',
    ),
  ),
  bucket: kinds.required(kinds.text),
  prefix: kinds.string,
};

/** The options of a single call. */
interface CallOptions {
  /** Stored with the object. */
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Refused, because values do not expire. `0` is no limit, as in other drivers. */
  readonly ttl?: number;
  /** For `getKeys`: the maximum number of separators in a key. */
  readonly maxDepth?: number;
}

/**
 * A `Driver` of unstorage. It is declared here because the declarations of unstorage import those
 * of all its drivers, and do not compile without the packages of these drivers.
 */
export interface BucketDriver {
  readonly name: string;
  readonly options: BucketDriverOptions;
  readonly flags: { readonly maxDepth: boolean };
  getInstance(): Objects;
  hasItem(key: string): Promise<boolean>;
  getItem(key: string): Promise<string | null>;
  getItemRaw(key: string): Promise<Uint8Array | null>;
  setItem(key: string, value: string, options?: CallOptions): Promise<void>;
  setItemRaw(key: string, value: Bytes, options?: CallOptions): Promise<void>;
  removeItem(key: string): Promise<void>;
  getMeta(key: string): Promise<{ mtime: Date; size: number; etag: string } | null>;
  getKeys(base?: string, options?: CallOptions): Promise<string[]>;
  clear(base?: string): Promise<void>;
}

/**
 * A driver for unstorage that stores each value as an object. The key `users:1` becomes the object
 * `users/1`. Failures are `StorageError`s. Throws a TypeError for an invalid option.
 *
 * ```ts
 * const values = createStorage({ driver: bucketDriver({ storage, bucket: 'values' }) });
 * ```
 */
export function bucketDriver(options: BucketDriverOptions): BucketDriver {
  checkOptions('bucketDriver()', options, OPTIONS);
  const { storage, bucket, prefix = '' } = options;
  requireSlash(prefix);
  const object = (key: string) => ({ bucket, key: prefix + key.replaceAll(':', '/') });
  const below = (base = '') => ({ storage, bucket, prefix: object(base).key });
  return {
    name: 'bucketware',
    options,
    flags: { maxDepth: true },
    getInstance: () => storage,
    hasItem: (key) =>
      existing(
        storage.getObjectMeta(object(key)).then(() => true),
        false,
      ),
    getItem: (key) =>
      existing(
        storage.getObject(object(key)).then((found) => found.text()),
        null,
      ),
    getItemRaw: (key) =>
      existing(
        storage.getObject(object(key)).then((found) => found.bytes()),
        null,
      ),
    async setItem(key, body, options) {
      await storage.putObject({ ...object(key), body, ...headersIn('setItem()', options) });
    },
    async setItemRaw(key, body, options) {
      await storage.putObject({ ...object(key), body, ...headersIn('setItemRaw()', options) });
    },
    async removeItem(key) {
      await existing(storage.deleteObject(object(key)), undefined);
    },
    getMeta: (key) =>
      existing(
        storage.getObjectMeta(object(key)).then((found) => {
          const { lastModified: mtime, size, etag, contentType, metadata } = found;
          return { ...metadata, mtime, size, etag, contentType };
        }),
        null,
      ),
    async getKeys(base = '', { maxDepth } = {}) {
      const depth = maxDepth === undefined ? undefined : maxDepth - base.split(':').length + 1;
      const keys: string[] = [];
      for await (const key of keysBelow(below(base), depth)) {
        keys.push(key.slice(prefix.length).replaceAll('/', ':'));
      }
      return keys;
    },
    clear: (base) => deleteBelow(below(base)),
  };
}

/** Otherwise the keys with the prefix `cache2/` would be values of the prefix `cache` too. */
function requireSlash(prefix: string): void {
  if (prefix === '' || prefix.endsWith('/')) return;
  const suggested = JSON.stringify(`${prefix}/`);
  throw new TypeError(`The option "prefix" must end with a slash. Write ${suggested}.`);
}

const STORED = {
  contentType: kinds.text,
  metadata: kinds.strings,
  ttl: kinds.number,
};

/** The options of a call that are stored with the object. */
function headersIn(what: string, options: CallOptions = {}) {
  checkOptions(what, options, STORED);
  const { contentType, metadata, ttl } = options;
  if (ttl) {
    throw new TypeError(
      'The option "ttl" is not supported: values do not expire. ' +
        'Leave it out, and let a lifecycle rule of the bucket delete old values.',
    );
  }
  return { contentType, metadata };
}

/** The result of an operation on an object, or `otherwise` when there is no such object. */
async function existing<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StorageError && error.code === 'NoSuchKey') return otherwise;
    throw error;
  }
}
