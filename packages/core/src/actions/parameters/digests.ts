import type { ExpectedDigests } from '../../engine/content/digests.js';
import { checksums, requestedChecksums } from './checksums.js';
import { type InputOf, InvalidValue, parameter } from './parameter.js';

/** A malformed digest, which could never match, fails like one that does not match: BadDigest. */
const digest = (shape: RegExp, meaning: string) =>
  parameter<string>((value) => {
    if (typeof value === 'string' && shape.test(value)) return value;
    throw new InvalidValue(meaning, 'BadDigest');
  });

export const contentMd5 = digest(/^[A-Za-z0-9+/]{22}==$/, 'the base64 form of 16 bytes');
export const contentSha256 = digest(/^[0-9a-f]{64}$/, '64 lower-case hexadecimal digits');

/** The IEEE CRC-32 as an unsigned number. */
export const contentCrc32 = parameter<number>((value) => {
  const fits = Number.isSafeInteger(value) && (value as number) >= 0;
  if (!fits || (value as number) > 9_999_999_999)
    throw new InvalidValue('an unsigned decimal number', 'BadDigest');
  return value as number;
});

/** The digests that a client may send to have its data verified. */
export const digests = { contentMd5, contentSha256, contentCrc32, ...checksums };

export const expectedDigests = (
  input: InputOf<typeof digests> & Parameters<typeof requestedChecksums>[0],
): ExpectedDigests => ({
  md5: input.contentMd5,
  sha256: input.contentSha256,
  crc32: input.contentCrc32,
  checksums: requestedChecksums(input),
});
