import type { Readable } from 'node:stream';

/**
 * The contract of a driver that stores data: blobs under opaque ids, which the core chooses. An id
 * is 32 lower-case hexadecimal digits and is never reused.
 *
 * Only {@link BlobStore.append} changes a blob after it was written, and only beyond the bytes that
 * records refer to, so readers never see bytes change.
 *
 * A store that cannot be reached rejects with an error whose `code` is `EHOSTDOWN`, within a time
 * that its documentation states. Clients then get 503 with a `Retry-After` header.
 */
export interface BlobStore {
  /** The id of the storage that owns these bytes; `undefined` when no storage has claimed them. */
  identity(): Promise<string | undefined>;

  /** Claims the bytes for the storage `storeId`. Durable when it resolves. */
  identify(storeId: string): Promise<void>;

  /**
   * Writes a new blob; the core never writes the same id twice. Bytes, name and directory are
   * durable when it resolves. When the source fails, it rejects with the source's own error and may
   * leave a partial blob. When it rejects with a {@link BlobUnsettledError}, the blob may still
   * appear after it was removed.
   */
  write(
    id: string,
    source: AsyncIterable<Uint8Array>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<{ size: number }>;

  /**
   * Writes to an existing blob from `position` on and truncates it after the new end. Durable when
   * it resolves. `size` is the new size of the blob.
   *
   * A store whose blobs cannot change omits this method. Each append to an object then writes a new
   * blob, and the core joins small blobs when there are many.
   */
  append?(
    id: string,
    position: number,
    source: AsyncIterable<Uint8Array>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<{ size: number }>;

  /**
   * Opens the bytes from `start` up to, but not including, `end`. Resolves once they are open, so
   * that a later {@link BlobStore.remove} does not end the stream. Rejects with
   * {@link BlobNotFoundError}. When the blob is shorter than `end`, either the call rejects or the
   * stream fails, preferably with {@link BlobTooShortError}; the stream never ends early.
   */
  read(
    id: string,
    range: { readonly start: number; readonly end: number },
    options?: ReadOptions,
  ): Promise<Readable>;

  /**
   * Gives the bytes of `id` a second, independent id. Durable when it resolves. Rejects with
   * {@link BlobNotFoundError}. When all bytes would have to be copied, because the technology
   * cannot share blobs or cannot share this one again, it should reject with
   * {@link BlobNotShareableError} and leave no blob `as`: the core then copies only the bytes that
   * it needs. `needed` is the number of these bytes, for stores that can copy a whole blob without
   * transferring it; it may be far smaller than the blob.
   *
   * After an append to one of the two, the other still has the shared bytes, and may or may not
   * grow as well. The core never appends to a blob that `share` made.
   */
  share(id: string, as: string, needed?: number): Promise<void>;

  /** Removes a blob for good. Durable when it resolves. Removing an absent blob succeeds. */
  remove(id: string): Promise<void>;

  /**
   * Every blob, in any order. A blob that is added or removed meanwhile may or may not be listed.
   */
  list(): AsyncIterable<{ readonly id: string; readonly size: number }>;

  /** Releases the store. Open streams continue. A second call does nothing. */
  close(): Promise<void>;
}

/** The options of {@link BlobStore.read}. */
export interface ReadOptions {
  /**
   * Allocates memory for one chunk of the stream. A store that can choose the memory it reads into
   * may call it for each chunk: the core reuses the memory once it has sent the chunk, which is
   * faster. Other stores ignore it.
   */
  readonly allocate?: ((size: number) => Uint8Array) | undefined;
}

/** A store whose blobs can grow. */
export interface GrowingBlobStore extends BlobStore {
  append: NonNullable<BlobStore['append']>;
}

/** Thrown when there is no blob with the requested id. */
export class BlobNotFoundError extends Error {
  override readonly name = 'BlobNotFoundError';
  readonly id: string;

  constructor(id: string, options?: ErrorOptions) {
    super(`There is no blob ${id}.`, options);
    this.id = id;
  }
}

/** Thrown when a blob cannot be shared without copying all of its bytes. */
export class BlobNotShareableError extends Error {
  override readonly name = 'BlobNotShareableError';
  readonly id: string;

  constructor(id: string, options?: ErrorOptions) {
    super(`The blob ${id} cannot be shared; its bytes must be copied.`, options);
    this.id = id;
  }
}

/**
 * Thrown when it is unknown whether a blob was written. It may appear later, even after a `remove`,
 * because a request that got no response may still be under way. The core removes such a blob days
 * later.
 */
export class BlobUnsettledError extends Error {
  override readonly name = 'BlobUnsettledError';
  readonly id: string;

  constructor(id: string, options?: ErrorOptions) {
    super(`It is unknown whether the blob ${id} was written.`, options);
    this.id = id;
  }
}

/** Thrown when a blob ends before the requested bytes do. */
export class BlobTooShortError extends Error {
  override readonly name = 'BlobTooShortError';
  readonly id: string;

  constructor(id: string, size: number, end: number, options?: ErrorOptions) {
    super(`The blob ${id} has ${size} bytes, but its record expects ${end}.`, options);
    this.id = id;
  }
}
