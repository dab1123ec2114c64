import { createHash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { StorageError } from '../../errors.js';
import type { Digests, RequestedChecksum } from '../hashing.js';
import type { Checksum, ChecksumAlgorithm } from '../records/checksums.js';
import type { RunningChecksums } from './checksums.js';

/** The digests that a client announced. */
export interface ExpectedDigests {
  /** Base64 of the 16 bytes, as in Content-MD5. */
  readonly md5?: string | undefined;
  /** Lower-case hexadecimal. */
  readonly sha256?: string | undefined;
  /** IEEE CRC-32 as an unsigned number. */
  readonly crc32?: number | undefined;
  /** Checksums to compute, and to compare if their values are announced. */
  readonly checksums?: readonly RequestedChecksum[] | undefined;
}

const NONE: readonly Checksum[] = [];

/**
 * Hashes data once, as it passes. SHA-256 is computed only if there is a value to compare it with.
 */
export function digester(needsSha256: boolean, others?: RunningChecksums) {
  const md5 = createHash('md5');
  const sha = needsSha256 ? createHash('sha256') : undefined;
  let crc = 0;
  return {
    update(bytes: Uint8Array): void {
      md5.update(bytes);
      sha?.update(bytes);
      others?.update(bytes);
      crc = crc32(bytes, crc);
    },
    done: (): Digests => ({
      md5: md5.digest('hex'),
      crc32: crc,
      sha256: sha?.digest('hex'),
      checksums: others?.done(crc) ?? NONE,
    }),
  };
}

/** The digests of data in memory. */
export function digestsOf(
  bytes: Uint8Array,
  { sha256 }: ExpectedDigests,
  others?: RunningChecksums,
): Digests {
  others?.update(bytes);
  const sum = crc32(bytes);
  return {
    md5: hash('md5', bytes),
    crc32: sum,
    sha256: sha256 === undefined ? undefined : hash('sha256', bytes),
    checksums: others?.done(sum) ?? NONE,
  };
}

/** Throws BadDigest, naming the digest that differs. */
export function requireDigests(expected: ExpectedDigests, actual: Digests): void {
  if (expected.md5 !== undefined && expected.md5 !== toBase64(actual.md5)) {
    throw differs('MD5 of the body');
  }
  if (expected.sha256 !== undefined && expected.sha256 !== actual.sha256) {
    throw differs('SHA-256 of the body');
  }
  if (expected.crc32 !== undefined && expected.crc32 !== actual.crc32) {
    throw differs('CRC-32 of the body');
  }
  expected.checksums?.forEach(({ algorithm, value }, at) => {
    if (value === undefined || value === actual.checksums[at]?.value) return;
    throw differs(`${CHECKSUM_NAMES[algorithm]} of the body`);
  });
}

export const differs = (name: string) =>
  new StorageError('BadDigest', `The ${name} does not match.`);

export const CHECKSUM_NAMES: Readonly<Record<ChecksumAlgorithm, string>> = {
  crc32: 'CRC-32',
  crc32c: 'CRC-32C',
  crc64: 'CRC-64/XZ',
  crc64nvme: 'CRC-64/NVME',
  sha1: 'SHA-1',
  sha256: 'SHA-256',
};

/** Content-MD5 is base64 of the raw digest (RFC 1864), ETags are its hexadecimal form. */
export const toBase64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
