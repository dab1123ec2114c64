import type { StorageError } from '../errors.js';
import { PREFIX } from './headers.js';
import type { StorageResponse } from './message.js';

type Headers = Readonly<Record<string, string>>;

/** An answer without a body. */
export const empty = (status: number, headers: Headers = {}): StorageResponse => ({
  status,
  headers:
    status === 204 || status === 304 ? { ...headers } : { ...headers, 'content-length': '0' },
  body: '',
});

/** Texts of users stand in JSON too: no browser must guess that it is a page. */
export const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
} as const;

/** An answer with a JSON body in UTF-8. */
export function json(status: number, value: unknown, headers: Headers = {}): StorageResponse {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status,
    headers: { ...headers, ...JSON_HEADERS, 'content-length': String(body.length) },
    body,
  };
}

/**
 * Every error looks alike: code, message and requestId (Resources, error body). The message names
 * headers as the client has to write them.
 */
export function renderError(
  error: StorageError,
  requestId: string,
  prefix: string,
): StorageResponse {
  if (error.status === 304) return empty(304, error.headers);
  const { code } = error;
  const message = error.message.replaceAll(PREFIX, prefix);
  return json(error.status, { code, message, requestId }, error.headers);
}
