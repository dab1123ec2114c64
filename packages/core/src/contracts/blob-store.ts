import type { Readable } from 'node:stream';

/**
 * Bytes under opaque ids that the core chooses: 32 lower-case hex digits, never used twice.
 *
 * Only {@link BlobStore.append} changes a blob after it was written, and only behind the bytes
 * that records name, so a reader never sees bytes move.
 */
export interface BlobStore {
  /** The id of the storage that owns these bytes, or `undefined` when they were never claimed. */
  identity(): Promise<string | undefined>;

  /** Marks the bytes as owned by the storage `storeId`, durably. */
  identify(storeId: string): Promise<void>;

  /**
   * Writes a new blob; no id is written twice. Durable when it resolves: bytes, name and directory.
   * Rejects with the source's own error when the source fails; whatever was written may stay.
   */
  write(
    id: string,
    source: AsyncIterable<Uint8Array>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<{ size: number }>;

  /**
   * Writes from `position` of an existing blob on, and cuts off what lay behind the new end.
   * Durable when it resolves. `size` is the blob's new size.
   */
  append(
    id: string,
    position: number,
    source: AsyncIterable<Uint8Array>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<{ size: number }>;

  /**
   * Opens the bytes from `start` to before `end`. Resolves once they are open, so that a later
   * {@link BlobStore.remove} does not end the stream. Rejects with {@link BlobNotFoundError}.
   * Where the blob is shorter than `end` it fails, best with {@link BlobTooShortError}, at once or
   * from the stream, which never ends early.
   */
  read(id: string, range: { readonly start: number; readonly end: number }): Promise<Readable>;

  /**
   * Gives the bytes of `id` a second, independent id. Durable when it resolves. Rejects with
   * {@link BlobNotFoundError}. Where all bytes would have to be copied, as the technology cannot
   * share or cannot share this blob again, it should reject with {@link BlobNotShareableError} and
   * leave no blob `as`: the core then copies only those of the bytes that it needs.
   *
   * An append behind the shared bytes leaves the other id these bytes; whether that one grows too
   * is left open. What `share` made is never appended to.
   */
  share(id: string, as: string): Promise<void>;

  /** Removes a blob. Durable when it resolves: it does not come back. An absent one is success. */
  remove(id: string): Promise<void>;

  /** Every blob, in any order. One that comes or goes meanwhile may be missed or listed. */
  list(): AsyncIterable<{ readonly id: string; readonly size: number }>;

  /** Releases the store. Streams that are open go on. A second call does nothing. */
  close(): Promise<void>;
}

/** The blob that was asked for is not there. */
export class BlobNotFoundError extends Error {
  override readonly name = 'BlobNotFoundError';
  readonly id: string;

  constructor(id: string, options?: ErrorOptions) {
    super(`There is no blob ${id}.`, options);
    this.id = id;
  }
}

/** The blob cannot be shared without copying all of its bytes. */
export class BlobNotShareableError extends Error {
  override readonly name = 'BlobNotShareableError';
  readonly id: string;

  constructor(id: string, options?: ErrorOptions) {
    super(`The blob ${id} cannot be shared; its bytes have to be copied.`, options);
    this.id = id;
  }
}

/** The blob ends before the bytes that were asked for. */
export class BlobTooShortError extends Error {
  override readonly name = 'BlobTooShortError';
  readonly id: string;

  constructor(id: string, size: number, end: number, options?: ErrorOptions) {
    super(`The blob ${id} has ${size} bytes; its record names ${end}.`, options);
    this.id = id;
  }
}
