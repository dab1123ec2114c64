import { header, notSupported, type Reader } from '@bucketware/core/dialect';
import { invalidRequest } from './errors.js';
import { amz } from './readers.js';
import {
  CHECKSUM_HEADERS,
  CHECKSUM_KINDS,
  type ChecksumKind,
  checksumHeaders,
  isKind,
  kindOf,
  readChecksum,
  typeOf,
} from './request/checksums.js';
import { contentMd5 } from './request/xml-body.js';

const TRAILER = 'x-amz-trailer';

/** The checksum of a body. A checksum in a trailer is compared when the trailer has arrived. */
const checksum: Reader<{ readonly algorithm: ChecksumKind; readonly value?: string } | undefined> =
  {
    label: 'The checksum of the body',
    headers: [...CHECKSUM_HEADERS, TRAILER],
    read({ headers }) {
      const name = CHECKSUM_HEADERS.find((known) => headers.has(known));
      if (name !== undefined) {
        const kind = kindOf(name) as ChecksumKind;
        return { algorithm: kind, value: readChecksum(kind, headers.get(name) as string).value };
      }
      const trailing = kindOf((headers.get(TRAILER) ?? '').trim().toLowerCase());
      return trailing && { algorithm: trailing };
    },
  };

/** The algorithm of the checksum that an upload or a copy should have. */
export const checksumAlgorithm = amz('x-amz-checksum-algorithm', (text) => {
  const kind = text.toLowerCase();
  if (isKind(kind)) return kind;
  const known = CHECKSUM_KINDS.map((name) => name.toUpperCase()).join(', ');
  throw invalidRequest(
    `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${known}]`,
  );
});

export const checksumType = amz('x-amz-checksum-type', typeOf);

/** The digests that the storage verifies while it receives a body. */
export const digests = {
  contentMd5: header('content-md5', (text) => contentMd5(text)),
  checksum,
  contentSha256: notSupported,
  contentCrc32: notSupported,
  contentCrc32c: notSupported,
  contentCrc64: notSupported,
  crc32cFlag: notSupported,
};

/** The response headers that describe stored data. */
export const written = (
  etag: string,
  found: Parameters<typeof checksumHeaders>[0],
): Record<string, string> => ({ etag: `"${etag}"`, ...checksumHeaders(found) });
