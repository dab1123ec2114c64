import { CHECKSUM_BYTES, type Checksum, type ChecksumAlgorithm, isAlgorithm } from './checksums.js';
import { RecordKind } from './kind.js';
import { isBytes, shape } from './shape.js';

/*
 * The parts of an object that was completed from an upload. The object's record has only their
 * number: few requests need more, and an object may have 10,000 parts. Each is packed into 8 bytes
 * and its checksum: part number (2), where in the object the part ends (6).
 */

export interface PartList {
  /** The algorithm of the parts' checksums. */
  readonly algorithm: ChecksumAlgorithm;
  readonly packed: Uint8Array;
}

export interface ObjectPart {
  readonly partNumber: number;
  /** The first byte of the part in the object. */
  readonly start: number;
  /** The byte after the part's last one. */
  readonly end: number;
  readonly checksum: Checksum;
}

const AT_END = 2;
const AT_CHECKSUM = 8;

const widthOf = (algorithm: ChecksumAlgorithm): number => AT_CHECKSUM + CHECKSUM_BYTES[algorithm];

export interface PackedPart {
  readonly partNumber: number;
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly checksum: string;
}

/** Parts in the order of their numbers. */
export function packParts(algorithm: ChecksumAlgorithm, parts: readonly PackedPart[]): PartList {
  const width = widthOf(algorithm);
  const packed = Buffer.alloc(parts.length * width);
  let [at, end] = [0, 0];
  for (const { partNumber, size, checksum } of parts) {
    end += size;
    packed.writeUInt16BE(partNumber, at);
    packed.writeUIntBE(end, at + AT_END, 6);
    packed.write(checksum, at + AT_CHECKSUM, 'hex');
    at += width;
  }
  return { algorithm, packed };
}

const countOfParts = ({ algorithm, packed }: PartList): number =>
  packed.length / widthOf(algorithm);

/** The parts with numbers from `first` on. */
export function* unpackParts(list: PartList, first: number): Generator<ObjectPart> {
  const { algorithm } = list;
  const { buffer, byteOffset, byteLength } = list.packed;
  const packed = Buffer.from(buffer, byteOffset, byteLength);
  const width = widthOf(algorithm);
  const count = countOfParts(list);
  const numberOf = (index: number) => packed.readUInt16BE(index * width);
  const endOf = (index: number) => packed.readUIntBE(index * width + AT_END, 6);
  // Part numbers start at 1 and increase, so a part's position is never higher than its number.
  let index = Math.min(first - 1, count);
  while (index > 0 && numberOf(index - 1) >= first) index--;
  for (; index < count; index++) {
    yield {
      partNumber: numberOf(index),
      start: index === 0 ? 0 : endOf(index - 1),
      end: endOf(index),
      checksum: {
        algorithm,
        value: packed.toString('hex', index * width + AT_CHECKSUM, (index + 1) * width),
      },
    };
  }
}

const isPacked = shape<PartList>({ algorithm: isAlgorithm, packed: isBytes });

/** The part lists, by the id of the upload that the object was completed from. */
export const partListRecords = new RecordKind<string, PartList>({
  name: 'the parts of an object',
  prefix: 'l/',
  key: (uploadId) => `l/${uploadId}`,
  parse: (key) => key.slice(2),
  fits: (value): value is PartList =>
    isPacked(value) && value.packed.length % widthOf(value.algorithm) === 0,
});
