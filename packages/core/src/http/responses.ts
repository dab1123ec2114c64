import type { StorageError } from '../errors.js';
import { httpDate } from './dates.js';
import { HttpError } from './http-error.js';
import type { StorageResponse } from './message.js';

type Headers = Readonly<Record<string, string>>;

/** A response without a body. */
export const empty = (status: number, headers: Headers = {}): StorageResponse => ({
  status,
  headers:
    status === 204 || status === 304 ? { ...headers } : { ...headers, 'content-length': '0' },
  body: '',
});

/** A response whose body is text in UTF-8. */
export function textual(status: number, text: string, headers: Headers): StorageResponse {
  const body = Buffer.from(text);
  return { status, headers: { ...headers, 'content-length': String(body.length) }, body };
}

/** What a textual body is. Users may have written part of it: no browser may guess that it is a page. */
export const textType = (type: string): Headers => ({
  'content-type': type,
  'x-content-type-options': 'nosniff',
});

/** The headers of an error in every dialect. `status`: the status that the dialect gives it. */
export function errorHeaders(error: StorageError, status: number): Record<string, string> {
  const { size, retryAfter, etag, lastModified } = error.details;
  const headers: Record<string, string> = error instanceof HttpError ? { ...error.headers } : {};
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  if (etag !== undefined) headers.etag = `"${etag}"`;
  if (lastModified !== undefined) headers['last-modified'] = httpDate(lastModified);
  // An object of zero bytes has no valid range that the client could ask for (GetObject, rules).
  if (size !== undefined && status === 416) headers['content-range'] = `bytes */${size}`;
  return headers;
}
