import { header, unspoken } from '@bucketware/core/dialect';
import { crc32Of, crc32Text } from './request/checksums.js';
import { contentMd5 } from './request/xml-body.js';

/** What the storage itself verifies; all else is verified while the body is read. */
export const digests = {
  contentMd5: header('content-md5', (text) => contentMd5(text)),
  contentCrc32: header('x-amz-checksum-crc32', crc32Of),
  contentSha256: unspoken,
  contentCrc32c: unspoken,
  contentCrc64: unspoken,
  crc32cFlag: unspoken,
};

/** What is answered of bytes that were written. */
export const written = (etag: string, crc32: number | undefined): Record<string, string> => ({
  etag: `"${etag}"`,
  ...(crc32 === undefined ? undefined : { 'x-amz-checksum-crc32': crc32Text(crc32) }),
});
