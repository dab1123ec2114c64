import { type Client, StorageError } from '@bucketware/core';
import type { Driver, TransactionOptions } from 'unstorage';
import { deleteBelow, keysBelow } from './listing.js';

/** `storage`, or `storage.as(principal)`. */
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
  /** `storage`, or `storage.as(principal)` with the rights of that caller. It stays open. */
  readonly storage: Objects;
  /** It must exist. */
  readonly bucket: string;
  /** The beginning of all keys, such as `cache/`. Default: none. */
  readonly prefix?: string | undefined;
}

/**
 * A driver of unstorage that keeps each value in an object. The key `users:1` is the key `users/1` of
 * an object.
 *
 * ```ts
 * const values = createStorage({ driver: bucketDriver({ storage, bucket: 'values' }) });
 * ```
 */
export function bucketDriver(options: BucketDriverOptions): Driver<BucketDriverOptions, Objects> {
  const { storage, bucket, prefix = '' } = options;
  const object = (key: string) => ({ bucket, key: prefix + key.replaceAll(':', '/') });
  // Unstorage leaves out the base, and options, against its own types.
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
      await storage.putObject({ ...object(key), body, ...headersIn(options) });
    },
    async setItemRaw(key, body, options) {
      await storage.putObject({ ...object(key), body, ...headersIn(options) });
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
    async getKeys(base, options) {
      const { maxDepth } = options ?? {};
      const depth =
        maxDepth === undefined ? undefined : maxDepth - (base ?? '').split(':').length + 1;
      const keys: string[] = [];
      for await (const key of keysBelow(below(base), depth)) {
        keys.push(key.slice(prefix.length).replaceAll('/', ':'));
      }
      return keys;
    },
    clear: (base) => deleteBelow(below(base)),
  };
}

/** What of the options of one call goes with the object. */
const headersIn = ({ contentType, metadata }: TransactionOptions = {}) => ({
  contentType,
  metadata,
});

/** What an operation on an object resolves to, or `otherwise` when there is no such object. */
async function existing<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StorageError && error.code === 'NoSuchKey') return otherwise;
    throw error;
  }
}
