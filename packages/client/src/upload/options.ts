import type { StorageError } from '../errors.js';
import type { ObjectOptions, OfObject, WriteConditions } from '../types.js';
import type { UploadBody } from './source.js';

export interface UploadProgress {
  /** Bytes that have arrived, those of an earlier start included. */
  readonly loaded: number;
  /** Undefined for a stream. */
  readonly total: number | undefined;
}

export interface UploadOptions extends OfObject, ObjectOptions, WriteConditions {
  /** A File or Blob, bytes, text, or a stream. In Node, `fileBody(path)` of the entry `/node`. */
  readonly body: UploadBody;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /**
   * Called when the upload has paused because the session ended, the storage is full or unreachable:
   * `resume()` goes on. Without it the upload rejects, and the same call goes on later.
   */
  readonly onInterruption?: ((error: StorageError) => void) | undefined;
  /** Bytes of a part. Default: 8 MiB, or what 10,000 parts of the body need. */
  readonly partSize?: number | undefined;
  /** Parts that are sent at the same time. Default 4. */
  readonly concurrency?: number | undefined;
  /** False: never goes on with an earlier upload. */
  readonly resume?: boolean | undefined;
  /**
   * The unfinished upload to go on with, whoever has started it: the object gets the headers,
   * metadata and access that it was started with, not those given here. Default: one that this client
   * has started with the same ones is looked for.
   */
  readonly uploadId?: string | undefined;
}

export interface Uploaded {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  /** Of the whole object. */
  readonly contentCrc32: number;
  /** Bytes that had arrived at an earlier start. */
  readonly resumed: number;
}
