import type { Readable } from 'node:stream';
import {
  BlobNotFoundError,
  BlobNotShareableError,
  type BlobStore,
  checkBlobId,
  checkOptions,
  isBlobId,
  type KnownOptions,
  kinds,
} from '@bucketware/core/contracts';
import { type Credentials, S3Bucket } from './bucket.js';
import { isRefusal } from './failures.js';
import { Identity } from './identity.js';
import type { Page, PageStart } from './listing.js';
import { parsePlace } from './place.js';
import { openRange } from './reads.js';
import { Writes } from './writes.js';

export interface S3BlobsOptions {
  /**
   * Where to store the blobs:
   * `s3://bucket/prefix?endpoint=https://host:port&region=name&pathStyle=true`. The bucket must
   * exist. Without `endpoint`, it is in AWS, `region` defaults to that of the environment, and
   * `pathStyle` to `false`. With `endpoint`, the defaults are `us-east-1` and `true`.
   */
  readonly url: string;
  /**
   * The credentials, or a function that returns them. Default: those that the AWS SDK finds in the
   * environment, in files, or on the machine.
   */
  readonly credentials?: Credentials | undefined;
  /**
   * How long a request to the store may take with all of its attempts, in milliseconds. A single
   * attempt, such as sending one part, may take a third of that. Default 30,000.
   */
  readonly timeout?: number | undefined;
  /**
   * The size of a part, in bytes, from 5 MiB to 64 MiB. Larger blobs are sent in parts, and each
   * upload keeps up to three of them in memory. Default 8 MiB.
   */
  readonly partSize?: number | undefined;
}

const MIB = 1024 * 1024;

const OPTIONS: KnownOptions<S3BlobsOptions> = {
  url: kinds.required(kinds.text),
  credentials: {
    is: 'an object with accessKeyId and secretAccessKey, or a function that returns one',
    fits: (value) => typeof value === 'function' || kinds.anObject.fits(value),
  },
  timeout: kinds.interval,
  partSize: kinds.whole(5 * MIB, 64 * MIB),
};

/**
 * Stores the data of objects in an S3-compatible store, as one object for each blob. Rejects if the
 * bucket does not exist, cannot be reached, or cannot be read with the credentials.
 */
export async function s3Blobs(options: S3BlobsOptions): Promise<BlobStore> {
  checkOptions('s3Blobs()', options, OPTIONS);
  const { url, credentials, timeout = 30_000, partSize = 8 * MIB } = options;
  const bucket = new S3Bucket(parsePlace(url), timeout, credentials);
  const identity = new Identity(bucket);
  try {
    await identity.read();
    await bucket.list(BLOBS); // Detects a missing permission to list blobs early.
  } catch (error) {
    bucket.close();
    throw error;
  }
  return new S3Blobs(bucket, identity, partSize);
}

const BLOBS = 'blobs/';

const keyOf = (id: string): string => {
  checkBlobId(id);
  return BLOBS + id;
};

class S3Blobs implements BlobStore {
  readonly #bucket: S3Bucket;
  readonly #identity: Identity;
  readonly #writes: Writes;

  constructor(bucket: S3Bucket, identity: Identity, partSize: number) {
    this.#bucket = bucket;
    this.#identity = identity;
    this.#writes = new Writes(bucket, partSize);
  }

  identity(): Promise<string | undefined> {
    return this.#identity.read();
  }

  identify(storeId: string): Promise<void> {
    return this.#identity.claim(storeId);
  }

  async write(
    id: string,
    source: AsyncIterable<Uint8Array>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<{ size: number }> {
    const size = await this.#writes.write({ id, key: keyOf(id) }, source, options?.signal);
    return { size };
  }

  async read(id: string, range: { start: number; end: number }): Promise<Readable> {
    return openRange({ bucket: this.#bucket, id, key: keyOf(id) }, range);
  }

  async share(id: string, as: string, needed?: number): Promise<void> {
    const [from, to] = [keyOf(id), keyOf(as)];
    const [size, taken] = await Promise.all([this.#bucket.sizeOf(from), this.#bucket.sizeOf(to)]);
    if (size === undefined) throw new BlobNotFoundError(id);
    if (taken !== undefined) throw new Error(`The blob ${as} already exists.`);
    if (needed !== undefined && size > 2 * needed) throw new BlobNotShareableError(id);
    await this.#writes.copy(from, { id: as, key: to }, size).catch((error: unknown) => {
      throw isRefusal(error, 'NoSuchKey') ? new BlobNotFoundError(id, { cause: error }) : error;
    });
  }

  async remove(id: string): Promise<void> {
    await this.#bucket.remove(keyOf(id));
  }

  async *list(): AsyncGenerator<{ id: string; size: number }> {
    for (let start: PageStart | undefined = {}; start !== undefined; ) {
      const { objects, next }: Page = await this.#bucket.list(BLOBS, start);
      for (const { key, size } of objects) {
        const id = key.slice(BLOBS.length);
        if (isBlobId(id)) yield { id, size };
      }
      start = next;
    }
  }

  async close(): Promise<void> {
    await this.#writes.close();
    this.#bucket.close();
  }
}
