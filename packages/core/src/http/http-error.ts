import { type ErrorCode, StorageError, type StorageErrorOptions } from '../errors.js';

interface HttpErrorOptions extends StorageErrorOptions {
  /** Headers of the response, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An error of the HTTP layer, with headers that belong to it. */
export class HttpError extends StorageError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string | undefined, options: HttpErrorOptions) {
    super(code, message, options);
    this.headers = options.headers;
  }
}
