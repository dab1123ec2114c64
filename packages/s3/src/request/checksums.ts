import type { Checksum, ObjectChecksum } from '@bucketware/core/dialect';
import { S3Error } from '../errors.js';

/** The checksums of S3, by the suffixes of their header names, with their sizes in bytes. */
const BYTES = { crc32: 4, crc32c: 4, crc64nvme: 8, sha1: 20, sha256: 32 } as const;

export type ChecksumKind = keyof typeof BYTES;
export const CHECKSUM_KINDS = Object.keys(BYTES) as readonly ChecksumKind[];

const PREFIX = 'x-amz-checksum-';

export const checksumHeader = (kind: ChecksumKind): string => PREFIX + kind;
export const CHECKSUM_HEADERS = CHECKSUM_KINDS.map(checksumHeader);

export const isKind = (name: string): name is ChecksumKind => Object.hasOwn(BYTES, name);

/** The kind of checksum that a header has. */
export function kindOf(header: string): ChecksumKind | undefined {
  const kind = header.startsWith(PREFIX) ? header.slice(PREFIX.length) : '';
  return isKind(kind) ? kind : undefined;
}

/** The element of a kind in XML, such as ChecksumCRC32. */
export const checksumElement = (kind: ChecksumKind): string => `Checksum${kind.toUpperCase()}`;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Reads a checksum in base64. Throws BadDigest if no data can have this checksum. */
export function readChecksum(algorithm: ChecksumKind, text: string): Checksum {
  const bytes = Buffer.from(text, 'base64');
  if (BASE64.test(text) && bytes.length === BYTES[algorithm]) {
    return { algorithm, value: bytes.toString('hex') };
  }
  const message = `The value of the checksum ${algorithm.toUpperCase()} is not valid.`;
  throw new S3Error('BadDigest', message);
}

const COMPOSITE = /^(.+)(-\d+)$/;

/** Reads the checksum of an object. A composite checksum ends with the number of parts. */
export function readObjectChecksum(algorithm: ChecksumKind, text: string): ObjectChecksum {
  const [, digest, count] = COMPOSITE.exec(text) ?? [];
  if (digest === undefined) return { ...readChecksum(algorithm, text), type: 'whole' };
  const { value } = readChecksum(algorithm, digest);
  return { algorithm, value: value + count, type: 'composite' };
}

/** A checksum in the form of S3. */
function checksumText({ value }: Checksum): string {
  const [hex = '', count] = value.split('-');
  const text = Buffer.from(hex, 'hex').toString('base64');
  return count === undefined ? text : `${text}-${count}`;
}

const TYPES = { whole: 'FULL_OBJECT', composite: 'COMPOSITE' } as const;

export const typeText = (type: ObjectChecksum['type']): string => TYPES[type];

/** The type of a checksum. For unknown text, it is one that the storage rejects. */
export const typeOf = (text: string) =>
  (Object.keys(TYPES) as (keyof typeof TYPES)[]).find((type) => TYPES[type] === text) ??
  (text as 'whole');

export const differs = (kind: ChecksumKind) =>
  new S3Error(
    'BadDigest',
    `The ${kind.toUpperCase()} you specified did not match the calculated checksum.`,
  );

/** Checksums of kinds that S3 knows, as headers. */
export function checksumHeaders(
  checksum: (Checksum & { readonly type?: ObjectChecksum['type'] }) | undefined,
): Record<string, string> {
  if (checksum === undefined || !isKind(checksum.algorithm)) return {};
  const headers: Record<string, string> = {
    [checksumHeader(checksum.algorithm)]: checksumText(checksum),
  };
  if (checksum.type !== undefined) headers['x-amz-checksum-type'] = typeText(checksum.type);
  return headers;
}

/** Checksums of kinds that S3 knows, as elements. */
export function checksumElements(
  checksum: (Checksum & { readonly type?: ObjectChecksum['type'] }) | undefined,
): Record<string, string> {
  if (checksum === undefined || !isKind(checksum.algorithm)) return {};
  const elements: Record<string, string> = {
    [checksumElement(checksum.algorithm)]: checksumText(checksum),
  };
  if (checksum.type !== undefined) elements.ChecksumType = typeText(checksum.type);
  return elements;
}

/** The checksum that an upload announces, as elements. */
export const checksumOfUpload = (checksum: Omit<ObjectChecksum, 'value'> | undefined) => ({
  ChecksumAlgorithm: checksum?.algorithm.toUpperCase(),
  ChecksumType: checksum && typeText(checksum.type),
});
