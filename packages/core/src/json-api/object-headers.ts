import type { StoredObject } from '../actions/stored-object.js';
import {
  contentHeaders,
  describeObject,
  type Overrides,
  responseOverrides as overridesIn,
} from '../http/object-headers.js';
import { header, metadata } from '../http/readers.js';
import { META } from './header-prefix.js';

export const storedHeaders = { ...contentHeaders, metadata: metadata(META) };

/** Clients of the interface expect case and spaces to be ignored. */
export const storageClassOf = (text: string) => text.trim().toUpperCase() as 'STANDARD';

export const storageClass = header('x-svc-storage-class', storageClassOf);

export const responseOverrides = overridesIn((name) => name);

/** The headers of checksums that may be stored with an object. */
const CHECKSUM_HEADERS: Readonly<Record<string, string>> = {
  crc32c: 'x-svc-content-crc32c',
  crc64: 'x-svc-content-crc64ecma',
};

/**
 * The headers of GetObject and GetObjectMeta, except those of a range. The interface specifies the
 * type and next offset of appendable objects for GetObjectMeta; its clients read them from
 * GetObject too.
 */
export function describe(object: StoredObject, overrides: Overrides): Record<string, string> {
  const { storageClass, contentMd5, contentCrc32, checksum, type, size } = object;
  const own: Record<string, string> = { 'x-svc-storage-class': storageClass };
  if (contentMd5 !== undefined) own['content-md5'] = contentMd5;
  if (contentCrc32 !== undefined) own['x-svc-content-crc32'] = String(contentCrc32);
  if (checksum?.type === 'whole') {
    const header = CHECKSUM_HEADERS[checksum.algorithm];
    if (header !== undefined) own[header] = decimal(checksum.value);
  }
  if (type === 'Appendable') {
    own['x-svc-object-type'] = type;
    own['x-svc-next-append-offset'] = String(size);
  }
  return describeObject(object, { prefix: META, own, overrides });
}

/** A CRC as an unsigned decimal number. */
const decimal = (hex: string): string => BigInt(`0x${hex}`).toString();

/** The response headers that describe stored data. */
export function written(
  etag: string,
  crc32: number | undefined,
  crc32c?: { readonly value: string } | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {
    etag: `"${etag}"`,
    // Base64 of the digest (RFC 1864), whose hexadecimal form is the ETag.
    'content-md5': Buffer.from(etag, 'hex').toString('base64'),
  };
  if (crc32 !== undefined) headers['x-svc-content-crc32'] = String(crc32);
  if (crc32c !== undefined) headers['x-svc-content-crc32c'] = decimal(crc32c.value);
  return headers;
}
