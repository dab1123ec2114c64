import { header, unspoken } from '@bucketware/core/dialect';
import { crc32Of } from './request/checksums.js';
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

/** Says that the checksum which was sent was compared. */
export const echo = { checksum: header('x-amz-checksum-crc32') };

export const echoed = ({
  checksum,
}: {
  readonly checksum: string | undefined;
}): Record<string, string> => (checksum === undefined ? {} : { 'x-amz-checksum-crc32': checksum });
