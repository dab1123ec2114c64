import { flag, header, wholeNumber } from '../http/readers.js';

/** The digests that a client may send to have its data verified. */
export const digests = {
  contentMd5: header('content-md5'),
  contentSha256: header('x-svc-content-sha256'),
  contentCrc32: header('x-svc-content-crc32', wholeNumber),
  contentCrc32c: header('x-svc-content-crc32c'),
  contentCrc64: header('x-svc-content-crc64ecma'),
};

/** Requests the CRC-32C of the data in the response. */
export const crc32cFlag = { crc32cFlag: header('x-svc-content-crc32c-flag', flag) };
