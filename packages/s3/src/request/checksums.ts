import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { createCRC32, createCRC64 } from 'hash-wasm';
import { invalidRequest, S3Error } from '../errors.js';

/** The checksums of S3, as the ends of the names of their headers. */
const BYTES = { crc32: 4, crc32c: 4, crc64nvme: 8, sha1: 20, sha256: 32 } as const;

export type ChecksumKind = keyof typeof BYTES;

const PREFIX = 'x-amz-checksum-';

export const checksumHeader = (kind: ChecksumKind): string => PREFIX + kind;
export const CHECKSUM_HEADERS = (Object.keys(BYTES) as ChecksumKind[]).map(checksumHeader);

/** The kind of checksum that a header has. */
export function kindOf(header: string): ChecksumKind | undefined {
  const kind = header.startsWith(PREFIX) ? header.slice(PREFIX.length) : '';
  return Object.hasOwn(BYTES, kind) ? (kind as ChecksumKind) : undefined;
}

/** Computes a checksum of bytes as they pass. */
export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  /** In base64. */
  done(): string;
}

/** Castagnoli's polynomial and that of NVMe, their bits in reverse. */
const CASTAGNOLI = 0x82f63b78;
const NVME = '9a6c9329ac4bc9b5';

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

export async function startChecksum(kind: ChecksumKind): Promise<RunningChecksum> {
  if (kind === 'sha1' || kind === 'sha256') {
    const hash = createHash(kind);
    return { update: (bytes) => hash.update(bytes), done: () => hash.digest('base64') };
  }
  if (kind === 'crc32') {
    let sum = 0;
    const update = (bytes: Uint8Array) => {
      sum = crc32(bytes, sum);
    };
    return { update, done: () => crc32Text(sum) };
  }
  const hash = await (kind === 'crc32c' ? createCRC32(CASTAGNOLI) : createCRC64(NVME));
  hash.init();
  return { update: (bytes) => hash.update(bytes), done: () => base64(hash.digest('hex')) };
}

/** A CRC-32 as S3 writes it. */
export const crc32Text = (sum: number): string => base64(sum.toString(16).padStart(8, '0'));

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Throws InvalidRequest when no bytes have such a checksum. */
export function requireShape(kind: ChecksumKind, value: string): string {
  if (BASE64.test(value) && Buffer.from(value, 'base64').length === BYTES[kind]) return value;
  throw invalidRequest(`Value for ${checksumHeader(kind)} header is invalid.`);
}

/** The CRC-32 that a header says, as a number. */
export const crc32Of = (value: string): number =>
  Buffer.from(requireShape('crc32', value), 'base64').readUInt32BE();

export const differs = (kind: ChecksumKind) =>
  new S3Error(
    'BadDigest',
    `The ${kind.toUpperCase()} you specified did not match the calculated checksum.`,
  );
