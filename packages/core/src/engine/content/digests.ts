import { createHash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { StorageError } from '../../errors.js';

/** The digests that a client announced. */
export interface ExpectedDigests {
  /** Base64 of the 16 bytes, as in Content-MD5. */
  readonly md5?: string | undefined;
  /** Lower-case hexadecimal. */
  readonly sha256?: string | undefined;
  /** IEEE CRC-32 as an unsigned number. */
  readonly crc32?: number | undefined;
}

export interface Digests {
  /** Hexadecimal. */
  readonly md5: string;
  readonly crc32: number;
  readonly sha256: string | undefined;
}

/** Hashes data once, as it passes. SHA-256 only if there is something to compare it with. */
export function digester({ sha256 }: ExpectedDigests) {
  const md5 = createHash('md5');
  const sha = sha256 === undefined ? undefined : createHash('sha256');
  let crc = 0;
  return {
    update(bytes: Uint8Array): void {
      md5.update(bytes);
      sha?.update(bytes);
      crc = crc32(bytes, crc);
    },
    done: (): Digests => ({ md5: md5.digest('hex'), crc32: crc, sha256: sha?.digest('hex') }),
  };
}

/** The digests of data in memory. */
export const digestsOf = (bytes: Uint8Array, { sha256 }: ExpectedDigests): Digests => ({
  md5: hash('md5', bytes),
  crc32: crc32(bytes),
  sha256: sha256 === undefined ? undefined : hash('sha256', bytes),
});

/** Throws BadDigest, naming the digest that differs. */
export function requireDigests(expected: ExpectedDigests, actual: Digests): void {
  const differ = (name: string) => new StorageError('BadDigest', `The ${name} does not match.`);
  if (expected.md5 !== undefined && expected.md5 !== toBase64(actual.md5)) {
    throw differ('MD5 of the body');
  }
  if (expected.sha256 !== undefined && expected.sha256 !== actual.sha256) {
    throw differ('SHA-256 of the body');
  }
  if (expected.crc32 !== undefined && expected.crc32 !== actual.crc32) {
    throw differ('CRC-32 of the body');
  }
}

/** Content-MD5 is base64 of the raw digest (RFC 1864), ETags are its hexadecimal form. */
export const toBase64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
