import type { ChecksumAlgorithm } from '../records/checksums.js';

/*
 * Computes the CRC of data from the CRCs of its pieces, like zlib's crc32_combine: a CRC is a
 * polynomial over GF(2) modulo P, and appending n bytes multiplies it by x^(8n). All numbers have
 * the highest power in the lowest bit.
 */

/** A kind of CRC. */
interface Field<Sum> {
  readonly zero: Sum;
  /** x^0. */
  readonly one: Sum;
  /** x^8. */
  readonly byte: Sum;
  /** The product of two polynomials modulo P. */
  multiply(one: Sum, other: Sum): Sum;
  add(one: Sum, other: Sum): Sum;
}

/** All numbers are signed, because signed 32-bit numbers are the fastest. */
function field32(polynomial: number): Field<number> {
  const reduced = polynomial | 0;
  return {
    zero: 0,
    one: 1 << 31,
    byte: 1 << 23,
    multiply(left, right) {
      let [product, shifted] = [0, right];
      for (let bit = 31; bit >= 0; bit--) {
        product ^= shifted & -((left >>> bit) & 1);
        shifted = (shifted >>> 1) ^ (reduced & -(shifted & 1));
      }
      return product;
    },
    add: (left, right) => left ^ right,
  };
}

/** 64 bits, as two numbers of 32: ten times as fast as a bigint. */
interface Long {
  readonly high: number;
  readonly low: number;
}

function field64({ high, low }: Long): Field<Long> {
  const [highReduced, lowReduced] = [high | 0, low | 0];
  return {
    zero: { high: 0, low: 0 },
    one: { high: 1 << 31, low: 0 },
    byte: { high: 1 << 23, low: 0 },
    multiply(left, right) {
      let [productHigh, productLow] = [0, 0];
      let [shiftedHigh, shiftedLow] = [right.high, right.low];
      for (let bit = 63; bit >= 0; bit--) {
        const taken = -(((bit > 31 ? left.high : left.low) >>> (bit & 31)) & 1);
        productHigh ^= shiftedHigh & taken;
        productLow ^= shiftedLow & taken;
        const reduces = -(shiftedLow & 1);
        shiftedLow = ((shiftedLow >>> 1) | (shiftedHigh << 31)) ^ (lowReduced & reduces);
        shiftedHigh = (shiftedHigh >>> 1) ^ (highReduced & reduces);
      }
      return { high: productHigh, low: productLow };
    },
    add: (left, right) => ({ high: left.high ^ right.high, low: left.low ^ right.low }),
  };
}

/**
 * Combines the CRCs of pieces into the CRC of the whole. Most pieces have the same length as the
 * previous one, so the power for that length is kept.
 */
class JoinedCrc<Sum> {
  sum: Sum;
  readonly #field: Field<Sum>;
  /** x^(8 * 2^n) for each n. */
  readonly #powers: readonly Sum[];
  #length = 0;
  #power: Sum;

  constructor(field: Field<Sum>, powers: readonly Sum[]) {
    this.sum = field.zero;
    this.#field = field;
    this.#powers = powers;
    this.#power = field.one;
  }

  add(crc: Sum, length: number): void {
    const { multiply, add } = this.#field;
    if (length !== this.#length) {
      this.#length = length;
      this.#power = this.#powerOf(length);
    }
    this.sum = add(multiply(this.#power, this.sum), crc);
  }

  /** x^(8 * length). */
  #powerOf(length: number): Sum {
    let power = this.#field.one;
    for (let left = length, n = 0; left > 0; left = Math.floor(left / 2), n++) {
      if (left % 2 === 1) power = this.#field.multiply(power, this.#powers[n] as Sum);
    }
    return power;
  }
}

function powersOf<Sum>({ byte, multiply }: Field<Sum>): readonly Sum[] {
  const squares = [byte];
  while (squares.length < 53) {
    const last = squares.at(-1) as Sum;
    squares.push(multiply(last, last));
  }
  return squares;
}

function joiner<Sum>(field: Field<Sum>): () => JoinedCrc<Sum> {
  let powers: readonly Sum[] | undefined;
  return () => {
    powers ??= powersOf(field);
    return new JoinedCrc(field, powers);
  };
}

const crc32s = joiner(field32(0xedb88320));
const crc32cs = joiner(field32(0x82f63b78));
const crc64s = joiner(field64({ high: 0xc96c5795, low: 0xd7870f42 }));
const crc64nvmes = joiner(field64({ high: 0x9a6c9329, low: 0xac4bc9b5 }));

/** CRC-32s are unsigned numbers. */
export interface JoinedCrc32 {
  readonly value: number;
  add(crc32: number, length: number): void;
}

export function joinedCrc32(): JoinedCrc32 {
  const joined = crc32s();
  return {
    get value() {
      return joined.sum >>> 0;
    },
    add: (crc32, length) => joined.add(crc32 | 0, length),
  };
}

/** The same for CRCs as text: `value` is lower-case hexadecimal. */
export interface JoinedText {
  readonly value: string;
  add(value: string, length: number): void;
}

const hex = (sum: number): string => (sum >>> 0).toString(16).padStart(8, '0');
const parse = (text: string): number => Number.parseInt(text, 16) | 0;

const asText32 = (joined: JoinedCrc<number>): JoinedText => ({
  get value() {
    return hex(joined.sum);
  },
  add: (value, length) => joined.add(parse(value), length),
});

const asText64 = (joined: JoinedCrc<Long>): JoinedText => ({
  get value() {
    return hex(joined.sum.high) + hex(joined.sum.low);
  },
  add: (value, length) =>
    joined.add({ high: parse(value.slice(0, 8)), low: parse(value.slice(8)) }, length),
});

/** The checksums that can be computed from those of pieces. */
const JOINED: Readonly<Partial<Record<ChecksumAlgorithm, () => JoinedText>>> = {
  crc32: () => asText32(crc32s()),
  crc32c: () => asText32(crc32cs()),
  crc64: () => asText64(crc64s()),
  crc64nvme: () => asText64(crc64nvmes()),
};

/** Whether the checksum of all data follows from those of its pieces. */
export const canBeJoined = (algorithm: ChecksumAlgorithm): boolean => algorithm in JOINED;

/** Joins checksums of pieces; `undefined` if the algorithm does not allow this. */
export const joinedChecksum = (algorithm: ChecksumAlgorithm): JoinedText | undefined =>
  JOINED[algorithm]?.();
