/** The codes of failures that no storage has answered. All others are those of the storage. */
export type ClientErrorCode =
  /** No response arrived: the server is down, or the connection broke. */
  | 'NetworkError'
  /** The app in front of the storage asks for a login (401). */
  | 'Unauthorized'
  /** What was uploaded has changed meanwhile, or cannot be read any more. */
  | 'SourceChanged'
  /** What arrived is not what was stored. */
  | 'ChecksumMismatch'
  /** Another tab or window uploads to the same key. */
  | 'UploadInUse'
  /** The response is not one of a storage, or a page of another origin may not read it. */
  | 'UnexpectedResponse';

export interface StorageErrorDetails {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Seconds after which the server asks to be tried again. */
  readonly retryAfter?: number | undefined;
  /** Of `OffsetIncorrect`: the size of the object. */
  readonly nextAppendOffset?: number | undefined;
  readonly cause?: unknown;
}

/** The one error of this client. Rely on `code`: messages may change. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
  /** A code of the storage, such as `NoSuchKey`, or a {@link ClientErrorCode}. */
  readonly code: ClientErrorCode | (string & {});
  /** The HTTP status. 0: there was no response. */
  readonly status: number;
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly nextAppendOffset: number | undefined;

  constructor(code: string, message: string, details: StorageErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? 0;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.nextAppendOffset = details.nextAppendOffset;
  }
}

/** Whether an error has one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof StorageError && codes.includes(error.code);

/** The same failure with a message that says what is to be done about it. */
export function explained(error: StorageError, more: string): StorageError {
  const { code, message, status, requestId, retryAfter } = error;
  const details = { status, requestId, retryAfter, cause: error };
  return new StorageError(code, `${message} ${more}`, details);
}
