import type { StorageError } from '../errors.js';
import { httpDate } from './dates.js';
import { HttpError } from './http-error.js';
import type { StorageResponse } from './message.js';

type Headers = Readonly<Record<string, string>>;

/** A response without a body. */
export function empty(status: number, given: Headers = {}): StorageResponse {
  const headers = mixed(given);
  if (status !== 204 && status !== 304) headers['content-length'] = '0';
  return { status, headers, body: '' };
}

/** A response whose body is text in UTF-8. */
export function textual(
  status: number,
  text: string,
  ...given: readonly Headers[]
): StorageResponse {
  const body = Buffer.from(text);
  const headers = mixed(...given);
  headers['content-length'] = String(body.length);
  return { status, headers, body };
}

/**
 * Headers of several objects in a new one. Not spread: V8 gives each object that begins with a spread
 * a hidden class of its own as soon as a property is added, 1.5 KB for each response.
 */
export function mixed(...parts: readonly Headers[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const part of parts) for (const name in part) headers[name] = part[name] as string;
  return headers;
}

/** What a textual body is. Users may have written part of it: no browser may guess that it is a page. */
export const textType = (type: string): Headers => ({
  'content-type': type,
  'x-content-type-options': 'nosniff',
});

/** The headers of an error in every dialect. `status`: the status that the dialect gives it. */
export function errorHeaders(error: StorageError, status: number): Record<string, string> {
  const { size, retryAfter, etag, lastModified } = error.details;
  const headers: Record<string, string> = error instanceof HttpError ? mixed(error.headers) : {};
  if (retryAfter !== undefined || status === 503) headers['retry-after'] = `${retryAfter ?? 1}`;
  if (etag !== undefined) headers.etag = `"${etag}"`;
  if (lastModified !== undefined) headers['last-modified'] = httpDate(lastModified);
  // An object of zero bytes has no valid range that the client could ask for (GetObject, rules).
  if (size !== undefined && status === 416) headers['content-range'] = `bytes */${size}`;
  return headers;
}
