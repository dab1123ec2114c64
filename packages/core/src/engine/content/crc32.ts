/*
 * Computes the CRC-32 of data from the CRC-32s of its pieces, like zlib's crc32_combine: a CRC is a
 * polynomial over GF(2) modulo P, and appending n bytes multiplies it by x^(8n).
 */

/** P, with the highest power in the lowest bit. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/** The product of two polynomials modulo P. */
function multiply(one: number, other: number): number {
  let [product, shifted] = [0, other];
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((one & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}

/** x^(8 * 2^n) for each n. */
const POWERS: readonly number[] = powers();

function powers(): number[] {
  const squares = [ONE >>> 8];
  while (squares.length < 53) {
    const last = squares.at(-1) as number;
    squares.push(multiply(last, last));
  }
  return squares;
}

/** x^(8 * length) modulo P. */
function powerOf(length: number): number {
  let power = ONE;
  for (let left = length, n = 0; left > 0; left = Math.floor(left / 2), n++) {
    if (left % 2 === 1) power = multiply(power, POWERS[n] as number);
  }
  return power;
}

/**
 * Combines the CRC-32s of pieces into that of the whole. Most pieces have the same length as the
 * previous one.
 */
export class JoinedCrc32 {
  value = 0;
  #length = 0;
  #power = ONE;

  add(crc32: number, length: number): void {
    if (length !== this.#length) {
      this.#length = length;
      this.#power = powerOf(length);
    }
    this.value = (multiply(this.#power, this.value) ^ crc32) >>> 0;
  }
}
