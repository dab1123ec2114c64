const POLYNOMIAL = 0xedb88320;
const SLICES = 8;

let tables: Int32Array[] | undefined;

/** One table for each of the eight bytes that are processed at once. */
function makeTables(): Int32Array[] {
  const made = Array.from({ length: SLICES }, () => new Int32Array(256));
  const first = made[0] as Int32Array;
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    first[byte] = crc;
  }
  for (let slice = 1; slice < SLICES; slice++) {
    for (let byte = 0; byte < 256; byte++) {
      const crc = made[slice - 1]?.[byte] as number;
      (made[slice] as Int32Array)[byte] = (crc >>> 8) ^ (first[crc & 0xff] as number);
    }
  }
  return made;
}

/** The CRC-32 (IEEE) of data, continued from the CRC `before` of earlier data. */
export function crc32(bytes: Uint8Array, before = 0): number {
  tables ??= makeTables();
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
    ...[Int32Array, Int32Array, Int32Array, Int32Array],
    ...[Int32Array, Int32Array, Int32Array, Int32Array],
  ];
  const { buffer, byteOffset, length } = bytes;
  // Four bytes at once take a quarter less time than one by one.
  const words = new DataView(buffer, byteOffset, length);
  let crc = ~before;
  let at = 0;
  for (const end = length - 7; at < end; at += 8) {
    const low = crc ^ words.getInt32(at, true);
    const high = words.getInt32(at + 4, true);
    crc =
      (t7[low & 0xff] as number) ^
      (t6[(low >>> 8) & 0xff] as number) ^
      (t5[(low >>> 16) & 0xff] as number) ^
      (t4[low >>> 24] as number) ^
      (t3[high & 0xff] as number) ^
      (t2[(high >>> 8) & 0xff] as number) ^
      (t1[(high >>> 16) & 0xff] as number) ^
      (t0[high >>> 24] as number);
  }
  for (; at < length; at++)
    crc = (crc >>> 8) ^ (t0[(crc ^ (bytes[at] as number)) & 0xff] as number);
  return ~crc >>> 0;
}

/** A matrix over GF(2) of 32 columns, times a vector. */
function times(matrix: readonly number[], vector: number): number {
  let sum = 0;
  for (let at = 0, rest = vector; rest !== 0; at++, rest >>>= 1) {
    if (rest & 1) sum ^= matrix[at] as number;
  }
  return sum;
}

const squared = (matrix: readonly number[]): readonly number[] =>
  matrix.map((column) => times(matrix, column));

/**
 * The CRC-32 of two adjacent pieces, from the CRC of each. `length`: the size of the second one.
 */
export function joinCrc32(first: number, second: number, length: number): number {
  // The effect of one zero bit on a CRC; squared three times, that of one zero byte.
  let matrix: readonly number[] = [POLYNOMIAL, ...Array.from({ length: 31 }, (_, at) => 1 << at)];
  for (let step = 0; step < 3; step++) matrix = squared(matrix);
  let crc = first;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) crc = times(matrix, crc);
    matrix = squared(matrix);
  }
  return (crc ^ second) >>> 0;
}
