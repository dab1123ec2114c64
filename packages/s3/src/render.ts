import {
  HttpError,
  httpDate,
  type StorageError,
  type StorageResponse,
} from '@bucketware/core/dialect';
import { namedInS3, S3Error } from './errors.js';
import { writeXml, type XmlChildren } from './xml/write.js';

type Headers = Readonly<Record<string, string>>;

/** An answer without a body. */
export const empty = (status: number, headers: Headers = {}): StorageResponse => ({
  status,
  headers:
    status === 204 || status === 304 ? { ...headers } : { ...headers, 'content-length': '0' },
  body: '',
});

/** Texts of users stand in XML too: no browser must guess that it is a page. */
export const XML_HEADERS = {
  'content-type': 'application/xml',
  'x-content-type-options': 'nosniff',
} as const;

/** An answer with an XML body. */
export function xml(
  status: number,
  root: string,
  content: XmlChildren,
  headers: Headers = {},
): StorageResponse {
  const body = Buffer.from(writeXml(root, content));
  return {
    status,
    headers: { ...headers, ...XML_HEADERS, 'content-length': String(body.length) },
    body,
  };
}

/** The same where blanks may have been sent ahead of it, behind which no XML declaration may stand. */
export function lateXml(
  root: string,
  content: XmlChildren,
  { status = 200, headers = {} }: { status?: number; headers?: Headers } = {},
): StorageResponse {
  const body = Buffer.from(writeXml(root, content).replace(/^<\?.*\?>\n/, ''));
  const length = { 'content-length': String(body.length) };
  return { status, headers: { ...headers, ...XML_HEADERS, ...length }, body };
}

/** Every error looks alike. Errors of S3 have no namespace, and may come late. */
export function renderError(error: StorageError, requestId: string): StorageResponse {
  const [code, status] = namedInS3(error);
  const headers = headersOf(error, status);
  if (status === 304) return empty(304, headers);
  const more = error instanceof S3Error ? error.fields : {};
  const content = { Code: code, Message: error.message, ...more, RequestId: requestId };
  return lateXml('Error', { '@xmlns': undefined, ...content }, { status, headers });
}

function headersOf(error: StorageError, status: number): Record<string, string> {
  const { size, retryAfter, etag, lastModified } = error.details;
  const headers: Record<string, string> = error instanceof HttpError ? { ...error.headers } : {};
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  if (etag !== undefined) headers.etag = `"${etag}"`;
  if (lastModified !== undefined) headers['last-modified'] = httpDate(lastModified);
  if (size !== undefined && status === 416) headers['content-range'] = `bytes */${size}`;
  return headers;
}
