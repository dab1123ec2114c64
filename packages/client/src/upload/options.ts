import type { StorageError } from '../errors.js';
import type { ObjectOptions, OfObject, WriteConditions } from '../types.js';
import type { UploadBody } from './source.js';

export interface UploadProgress {
  /** Bytes that have arrived, including those from an earlier start. */
  readonly loaded: number;
  /** Undefined for a stream. */
  readonly total: number | undefined;
}

export interface UploadOptions extends OfObject, ObjectOptions, WriteConditions {
  /**
   * A File or Blob, bytes, a string, or a stream. In Node, also `fileBody(path)` from the entry
   * `/node`.
   */
  readonly body: UploadBody;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /**
   * Called when the upload has paused because the session ended, or the storage is full or
   * unreachable. `resume()` continues. Without this option the upload rejects, and calling it again
   * continues it.
   */
  readonly onInterruption?: ((error: StorageError) => void) | undefined;
  /**
   * The size of a part, in bytes. Default: 1/32 of the body, from 8 to 32 MiB, or more if the body
   * needs more than 10,000 such parts. 8 MiB for a stream.
   */
  readonly partSize?: number | undefined;
  /** How many parts are sent at the same time. Default 4. */
  readonly concurrency?: number | undefined;
  /** False: never continues an earlier upload. */
  readonly resume?: boolean | undefined;
  /**
   * The unfinished upload to continue, whoever has started it. The object gets the headers,
   * metadata and access with which it was started, not those given here. Default: one that this
   * client has started with the same headers, metadata and access.
   */
  readonly uploadId?: string | undefined;
}

export interface Uploaded {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  /** The CRC-32 of the whole object. */
  readonly contentCrc32: number;
  /** Bytes that had already arrived before this call. */
  readonly resumed: number;
}
