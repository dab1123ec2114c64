/**
 * The codes of failures that were not reported by a storage. All other codes come from the storage.
 */
export type ClientErrorCode =
  /** No response arrived: the server is down, or the connection broke. */
  | 'NetworkError'
  /** The app in front of the storage asks for a login (401). */
  | 'Unauthorized'
  /** The source has changed during the upload, or can no longer be read. */
  | 'SourceChanged'
  /** The received data differs from the stored data. */
  | 'ChecksumMismatch'
  /** Another tab or window is uploading to the same key. */
  | 'UploadInUse'
  /** The response does not come from a storage, or a page on another origin may not read it. */
  | 'UnexpectedResponse';

export interface StorageErrorDetails {
  readonly status?: number;
  readonly requestId?: string | undefined;
  /** How many seconds to wait before the next try, as requested by the server. */
  readonly retryAfter?: number | undefined;
  /** With the code `OffsetIncorrect`: the size of the object. */
  readonly nextAppendOffset?: number | undefined;
  readonly isRefusal?: boolean;
  readonly cause?: unknown;
}

/** The error that all methods of this client reject with. Rely on `code`; messages may change. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
  /** A code of the storage, such as `NoSuchKey`, or a {@link ClientErrorCode}. */
  readonly code: ClientErrorCode | (string & {});
  /** The HTTP status. 0: there was no response. */
  readonly status: number = 0;
  /** Identifies the request in the log of the server. */
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly nextAppendOffset: number | undefined;
  /** Whether the storage itself reports that it did nothing, with status 503. */
  readonly isRefusal: boolean = false;

  constructor(code: string, message: string, details: StorageErrorDetails = {}) {
    super(message, details);
    Object.assign(this, details);
    this.code = code;
  }
}

/** Whether an error has one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof StorageError && codes.includes(error.code);

/** The same failure with a message that says what to do. */
export function explained(error: StorageError, more: string): StorageError {
  return new StorageError(error.code, `${error.message} ${more}`, { ...error, cause: error });
}
