import type { StorageError } from '../errors.js';
import { httpDate } from '../http/dates.js';
import { HttpError } from '../http/http-error.js';
import type { StorageResponse } from '../http/message.js';
import { PREFIX } from './header-prefix.js';

type Headers = Readonly<Record<string, string>>;

/** A response without a body. */
export const empty = (status: number, headers: Headers = {}): StorageResponse => ({
  status,
  headers:
    status === 204 || status === 304 ? { ...headers } : { ...headers, 'content-length': '0' },
  body: '',
});

/** JSON may contain text of users: no browser may guess that it is a page. */
export const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
} as const;

/** A response with a JSON body in UTF-8. */
export function json(status: number, value: unknown, headers: Headers = {}): StorageResponse {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status,
    headers: { ...headers, ...JSON_HEADERS, 'content-length': String(body.length) },
    body,
  };
}

/**
 * Every error has the same form: code, message and requestId (Resources, error body). The message
 * names headers as the client must write them.
 */
export function renderError(
  error: StorageError,
  requestId: string,
  prefix: string,
): StorageResponse {
  const headers = headersOf(error);
  if (error.status === 304) return empty(304, headers);
  const { code } = error;
  const message = error.message.replaceAll(PREFIX, prefix);
  return json(error.status, { code, message, requestId }, headers);
}

function headersOf(error: StorageError): Record<string, string> {
  const { size, retryAfter, etag, lastModified } = error.details;
  const headers: Record<string, string> = error instanceof HttpError ? { ...error.headers } : {};
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  if (etag !== undefined) headers.etag = `"${etag}"`;
  if (lastModified !== undefined) headers['last-modified'] = httpDate(lastModified);
  if (size !== undefined && error.code === 'OffsetIncorrect') {
    headers['x-svc-next-append-offset'] = String(size);
  }
  // An object of zero bytes has no valid range that the client could ask for (GetObject, rules).
  if (size !== undefined && error.status === 416) headers['content-range'] = `bytes */${size}`;
  return headers;
}
