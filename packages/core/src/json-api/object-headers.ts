import { headerValue } from '../actions/parameters/object-headers.js';
import { recordOf, type StoredObject } from '../actions/stored-object.js';
import { httpDate } from '../http/dates.js';
import { header, metadata, query, type Reader, raw } from '../http/readers.js';
import { META } from './header-prefix.js';

/** The headers that PutObject stores and GetObject returns, and user metadata. */
export const storedHeaders = {
  contentType: header('content-type', raw),
  contentEncoding: header('content-encoding', raw),
  contentLanguage: header('content-language', raw),
  contentDisposition: header('content-disposition', raw),
  cacheControl: header('cache-control', raw),
  expires: header('expires', raw),
  metadata: metadata(META),
};

/** Clients of the interface expect that case and spaces do not matter. */
export const storageClass = header(
  'x-svc-storage-class',
  (text) => text.trim().toUpperCase() as 'STANDARD',
);

/** A query parameter that overrides a stored header. */
const override = (name: string): Reader<string | undefined> => {
  const reader = query(name);
  return { ...reader, read: (source) => headerValue.accept(reader.read(source), reader.label) };
};

/** GetObject, response-header override. */
export const responseOverrides = {
  responseContentType: override('responseContentType'),
  responseContentEncoding: override('responseContentEncoding'),
  responseContentLanguage: override('responseContentLanguage'),
  responseContentDisposition: override('responseContentDisposition'),
  responseCacheControl: override('responseCacheControl'),
  responseExpires: override('responseExpires'),
};

type Overrides = { readonly [K in keyof typeof responseOverrides]: string | undefined };

/**
 * The headers of GetObject and GetObjectMeta, except those of a range: the stored headers, or the
 * overrides of the request. The interface shows type and next offset of appendable objects in
 * GetObjectMeta; its clients read them in GetObject too.
 */
export function describe(stored: StoredObject, asked: Overrides): Record<string, string> {
  const object = recordOf(stored);
  const headers: Record<string, string> = {
    etag: `"${object.etag}"`,
    'last-modified': httpDate(object.lastModified),
    'accept-ranges': 'bytes',
    'x-svc-storage-class': object.storageClass,
  };
  if (object.md5 !== undefined) headers['content-md5'] = base64Of(object.md5);
  if (object.crc32 !== undefined) headers['x-svc-content-crc32'] = String(object.crc32);
  for (const [name, value] of object.headers) headers[name] = value;
  for (const [name, value] of object.metadata) headers[META + name] = value;
  if (object.type === 'Appendable') {
    headers['x-svc-object-type'] = object.type;
    headers['x-svc-next-append-offset'] = String(object.size);
  }
  replace(headers, asked);
  return headers;
}

function replace(headers: Record<string, string>, asked: Overrides): void {
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined) headers[name] = value;
  };
  set('content-type', asked.responseContentType);
  set('content-encoding', asked.responseContentEncoding);
  set('content-language', asked.responseContentLanguage);
  set('content-disposition', asked.responseContentDisposition);
  set('cache-control', asked.responseCacheControl);
  set('expires', asked.responseExpires);
}

/** The response headers that describe stored data. */
export function written(
  etag: string,
  crc32: number | undefined,
  crc32c?: bigint | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {
    etag: `"${etag}"`,
    'content-md5': base64Of(etag),
  };
  if (crc32 !== undefined) headers['x-svc-content-crc32'] = String(crc32);
  if (crc32c !== undefined) headers['x-svc-content-crc32c'] = String(crc32c);
  return headers;
}

/** Content-MD5 is base64 of the digest (RFC 1864), ETags are its hexadecimal form. */
const base64Of = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
