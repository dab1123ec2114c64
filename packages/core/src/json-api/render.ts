import type { StorageError } from '../errors.js';
import { isoSeconds } from '../http/dates.js';
import type { StorageResponse } from '../http/message.js';
import { empty, errorHeaders, textType, textual } from '../http/responses.js';
import { PREFIX } from './header-prefix.js';

export const JSON_HEADERS = textType('application/json; charset=utf-8');

export const json = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): StorageResponse => textual(status, JSON.stringify(value), headers, JSON_HEADERS);

interface Copied {
  readonly etag: string;
  readonly lastModified: Date;
}

/** The result of a copy. The interface has both spellings of the ETag, and clients read both. */
export const copied = ({ etag, lastModified }: Copied): StorageResponse =>
  json(200, { ETag: etag, eTag: etag, lastModified: isoSeconds(+lastModified) });

/**
 * Every error has the same form: code, message and requestId (Resources, error body). The message
 * names headers as the client must write them.
 */
export function renderError(
  error: StorageError,
  requestId: string,
  prefix: string,
): StorageResponse {
  const { code, status, details } = error;
  const headers = errorHeaders(error, status);
  if (status === 304) return empty(304, headers);
  if (details.size !== undefined && code === 'OffsetIncorrect') {
    headers['x-svc-next-append-offset'] = String(details.size);
  }
  const message = error.message.replaceAll(PREFIX, prefix);
  return json(status, { code, message, requestId }, headers);
}
