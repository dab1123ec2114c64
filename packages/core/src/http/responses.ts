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
 * Copies the headers of several objects to a new one. It does not use spread: in V8, each object
 * that begins with a spread gets its own hidden class once a property is added, which takes 1.5 KB
 * for each response.
 */
export function mixed(...parts: readonly Headers[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const part of parts) for (const name in part) headers[name] = part[name] as string;
  return headers;
}

/**
 * The headers of a text body. Users may have written parts of it, so browsers must not guess that
 * it is a page.
 */
export const textType = (type: string): Headers => ({
  'content-type': type,
  'x-content-type-options': 'nosniff',
});

/** The headers of an error in every dialect. `status`: the status in this dialect. */
export function errorHeaders(error: StorageError, status: number): Record<string, string> {
  const { size, retryAfter, etag, lastModified } = error.details;
  const headers: Record<string, string> = error instanceof HttpError ? mixed(error.headers) : {};
  if (retryAfter !== undefined || status === 503) headers['retry-after'] = `${retryAfter ?? 1}`;
  if (etag !== undefined) headers.etag = `"${etag}"`;
  if (lastModified !== undefined) headers['last-modified'] = httpDate(lastModified);
  // For an object of zero bytes, there is no valid range to request (GetObject, rules).
  if (size !== undefined && status === 416) headers['content-range'] = `bytes */${size}`;
  return headers;
}
