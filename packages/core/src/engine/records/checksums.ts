import { isText, oneOf, shape } from './shape.js';

/** The checksums that can be stored with data, and how many bytes each has. */
export const CHECKSUM_BYTES = {
  crc32: 4,
  crc32c: 4,
  /** CRC-64/XZ: the polynomial of ECMA-182. */
  crc64: 8,
  /** CRC-64/NVME. */
  crc64nvme: 8,
  sha1: 20,
  sha256: 32,
} as const;

/** The names of the algorithms. */
export type ChecksumAlgorithm = keyof typeof CHECKSUM_BYTES;

export const CHECKSUM_ALGORITHMS = Object.keys(CHECKSUM_BYTES) as readonly ChecksumAlgorithm[];

/** A checksum of data. */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Lower-case hexadecimal. A `composite` checksum ends with `-` and the number of parts. */
  readonly value: string;
}

/** `whole`: of all data. `composite`: of the checksums of the parts of an upload, in order. */
export type ChecksumType = 'whole' | 'composite';

/** A checksum of a whole object. */
export interface ObjectChecksum extends Checksum {
  readonly type: ChecksumType;
}

/** The checksum that an upload announces for its object. */
export type UploadChecksum = Omit<ObjectChecksum, 'value'>;

export const isAlgorithm = (value: unknown): value is ChecksumAlgorithm =>
  typeof value === 'string' && Object.hasOwn(CHECKSUM_BYTES, value);

const isType = oneOf('whole', 'composite');

export const isChecksum = shape<Checksum>({ algorithm: isAlgorithm, value: isText });

export const isObjectChecksum = shape<ObjectChecksum>({
  algorithm: isAlgorithm,
  value: isText,
  type: isType,
});

export const isUploadChecksum = shape<UploadChecksum>({ algorithm: isAlgorithm, type: isType });
