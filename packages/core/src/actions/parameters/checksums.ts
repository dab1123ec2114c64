import { CHECKSUM_NAMES } from '../../engine/content/digests.js';
import { canBeJoined } from '../../engine/content/joined-crc.js';
import type { RequestedChecksum } from '../../engine/hashing.js';
import {
  CHECKSUM_ALGORITHMS,
  CHECKSUM_BYTES,
  type Checksum,
  type ChecksumAlgorithm,
  type ChecksumType,
  isAlgorithm,
  type ObjectChecksum,
  type UploadChecksum,
} from '../../engine/records/checksums.js';
import { StorageError } from '../../errors.js';
import { flag, type InputOf, InvalidValue, isObject, oneOf, parameter } from './parameter.js';

export { startChecksum } from '../../engine/content/checksums.js';
export type {
  Checksum,
  ChecksumAlgorithm,
  ObjectChecksum,
} from '../../engine/records/checksums.js';

const DECIMAL = /^(0|[1-9]\d{0,19})$/;

/** An unsigned number of `bits` bits, given as a number, a bigint or decimal digits. */
const decimal = (bits: number) =>
  parameter<bigint, bigint | number | string>((value) => {
    const text = typeof value === 'bigint' || typeof value === 'number' ? `${value}` : value;
    const number = typeof text === 'string' && DECIMAL.test(text) ? BigInt(text) : undefined;
    if (number === undefined || number >= 1n << BigInt(bits)) {
      throw new InvalidValue(`an unsigned decimal number of ${bits} bits`, 'BadDigest');
    }
    return number;
  });

/** Checksums as numbers. */
export const checksums = { contentCrc32c: decimal(32), contentCrc64: decimal(64) };

/** Requests the CRC-32C of the bytes in the response. */
export const crc32cFlag = { crc32cFlag: flag };

export const checksumAlgorithm = oneOf(...CHECKSUM_ALGORITHMS);

const HEX = /^[0-9a-f]*$/;

/** Throws BadDigest for a value that no data can have. */
export function requireChecksum(given: unknown): Checksum {
  if (!isObject(given)) throw new InvalidValue('an object with algorithm and value');
  const { algorithm, value } = given;
  if (!isAlgorithm(algorithm)) {
    throw new InvalidValue(`an object whose algorithm is one of ${CHECKSUM_ALGORITHMS.join(', ')}`);
  }
  const digits = 2 * CHECKSUM_BYTES[algorithm];
  if (typeof value === 'string' && value.length === digits && HEX.test(value)) {
    return { algorithm, value };
  }
  throw new InvalidValue(`${digits} lower-case hexadecimal digits`, 'BadDigest');
}

/** The inputs of {@link uploadChecksum}. */
export const uploadChecksums = {
  checksumAlgorithm,
  checksumType: oneOf<ChecksumType>('whole', 'composite'),
};

/**
 * The checksum that an upload announces. Without a type, it is a checksum of the parts' checksums,
 * except for 64-bit CRCs, which cover all data.
 */
export function uploadChecksum({
  checksumAlgorithm: algorithm,
  checksumType: type,
}: InputOf<typeof uploadChecksums>): UploadChecksum | undefined {
  if (algorithm === undefined) {
    if (type === undefined) return undefined;
    throw new StorageError('InvalidArgument', 'A checksum type requires an algorithm.');
  }
  const is64 = CHECKSUM_BYTES[algorithm] === 8;
  if (type === 'whole' && !canBeJoined(algorithm)) {
    throw new StorageError(
      'InvalidArgument',
      `The ${CHECKSUM_NAMES[algorithm]} of a multipart object is computed from the checksums of its parts.`,
    );
  }
  if (type === 'composite' && is64) {
    throw new StorageError(
      'InvalidArgument',
      `The ${CHECKSUM_NAMES[algorithm]} of an object is computed from all of its data.`,
    );
  }
  return { algorithm, type: type ?? (is64 ? 'whole' : 'composite') };
}

/** The checksum to store with data. If it has a value, the data is compared with it. */
export const checksum = parameter<RequestedChecksum>((given) => {
  const wants = isObject(given) && given.value === undefined;
  if (!wants) return requireChecksum(given);
  return {
    algorithm: checksumAlgorithm.required().accept(given.algorithm as 'crc32', 'algorithm'),
  };
});

interface Wanted {
  readonly checksum?: RequestedChecksum | undefined;
  readonly contentCrc32c?: bigint | undefined;
  readonly contentCrc64?: bigint | undefined;
  readonly crc32cFlag?: boolean | undefined;
}

/** The checksums that an input requests; `undefined` if there are none. */
export function requestedChecksums(input: Wanted): readonly RequestedChecksum[] | undefined {
  const { contentCrc32c, contentCrc64, crc32cFlag } = input;
  const requested: RequestedChecksum[] = input.checksum === undefined ? [] : [input.checksum];
  if (contentCrc32c !== undefined || crc32cFlag === true) {
    requested.push({ algorithm: 'crc32c', value: hex(contentCrc32c, 8) });
  }
  if (contentCrc64 !== undefined)
    requested.push({ algorithm: 'crc64', value: hex(contentCrc64, 16) });
  return requested.length === 0 ? undefined : requested;
}

const hex = (sum: number | bigint | undefined, digits: number): string | undefined =>
  sum?.toString(16).padStart(digits, '0');

/** Which of the checksums is stored with the data: the first one that is not stored in any case. */
export const keptOf = (checksums: readonly Checksum[]): Checksum | undefined =>
  checksums.find(({ algorithm }) => algorithm !== 'crc32');

const COMPOSITE = /^([0-9a-f]+)-([1-9]\d{0,4})$/;

/**
 * The checksum that a completed object must have. A checksum of its parts' checksums ends with the
 * number of parts.
 */
export const objectChecksum = parameter<ObjectChecksum, Checksum>((given) => {
  const text = isObject(given) && typeof given.value === 'string' ? given.value : '';
  const value = COMPOSITE.exec(text)?.[1];
  if (value === undefined) return { ...requireChecksum(given), type: 'whole' };
  const { algorithm } = requireChecksum({ ...(given as Checksum), value });
  return { algorithm, value: text, type: 'composite' };
});

interface AnnouncedChecksums extends Pick<Wanted, 'contentCrc32c' | 'contentCrc64'> {
  readonly checksum?: ObjectChecksum | undefined;
  readonly contentCrc32?: number | undefined;
}

/** The checksums of a whole object that an input announces. */
export function announcedChecksums(input: AnnouncedChecksums): readonly ObjectChecksum[] {
  const { checksum, contentCrc32, contentCrc32c, contentCrc64 } = input;
  const found = checksum === undefined ? [] : [checksum];
  const add = (algorithm: ChecksumAlgorithm, sum: number | bigint | undefined, digits: number) => {
    if (sum !== undefined)
      found.push({ algorithm, type: 'whole', value: hex(sum, digits) as string });
  };
  add('crc32', contentCrc32, 8);
  add('crc32c', contentCrc32c, 8);
  add('crc64', contentCrc64, 16);
  return found;
}
