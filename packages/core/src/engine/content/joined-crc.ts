import type { ChecksumAlgorithm } from '../records/checksums.js';

/*
 * Computes the CRC of data from the CRCs of its pieces, like zlib's crc32_combine: a CRC is a
 * polynomial over GF(2) modulo P, and appending n bytes multiplies it by x^(8n). All numbers have
 * the highest power in the lowest bit.
 */

/** A kind of CRC. `Sum` is a number of up to 32 bits, or a bigint of 64. */
interface Field<Sum> {
  /** x^0. */
  readonly one: Sum;
  /** x^8. */
  readonly byte: Sum;
  /** The product of two polynomials modulo P. */
  multiply(one: Sum, other: Sum): Sum;
  add(one: Sum, other: Sum): Sum;
}

function field32(polynomial: number): Field<number> {
  const one = 0x80000000;
  return {
    one,
    byte: one >>> 8,
    multiply(left, right) {
      let [product, shifted] = [0, right];
      for (let bit = one; bit !== 0; bit >>>= 1) {
        if ((left & bit) !== 0) product ^= shifted;
        shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
      }
      return product >>> 0;
    },
    add: (left, right) => (left ^ right) >>> 0,
  };
}

function field64(polynomial: bigint): Field<bigint> {
  const one = 1n << 63n;
  return {
    one,
    byte: one >> 8n,
    multiply(left, right) {
      let [product, shifted] = [0n, right];
      for (let bit = one; bit !== 0n; bit >>= 1n) {
        if ((left & bit) !== 0n) product ^= shifted;
        shifted = (shifted & 1n) === 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n;
      }
      return product;
    },
    add: (left, right) => left ^ right,
  };
}

/**
 * Combines the CRCs of pieces into that of the whole. Most pieces have the same length as the
 * previous one.
 */
class JoinedCrc<Sum extends number | bigint> {
  value: Sum;
  readonly #field: Field<Sum>;
  /** x^(8 * 2^n) for each n. */
  readonly #powers: readonly Sum[];
  #length = 0;
  #power: Sum;

  constructor(zero: Sum, field: Field<Sum>, powers: readonly Sum[]) {
    this.value = zero;
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
    this.value = add(multiply(this.#power, this.value), crc);
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

function joiner<Sum extends number | bigint>(zero: Sum, field: Field<Sum>) {
  let powers: readonly Sum[] | undefined;
  return () => {
    powers ??= powersOf(field);
    return new JoinedCrc(zero, field, powers);
  };
}

export const joinedCrc32 = joiner(0, field32(0xedb88320));
const joinedCrc32c = joiner(0, field32(0x82f63b78));
const joinedCrc64 = joiner(0n, field64(0xc96c5795d7870f42n));
const joinedCrc64nvme = joiner(0n, field64(0x9a6c9329ac4bc9b5n));

/** The same for CRCs as text: `value` is lower-case hexadecimal. */
export interface JoinedText {
  readonly value: string;
  add(value: string, length: number): void;
}

const asText32 = (joined: JoinedCrc<number>): JoinedText => ({
  get value() {
    return joined.value.toString(16).padStart(8, '0');
  },
  add: (value, length) => joined.add(Number.parseInt(value, 16), length),
});

const asText64 = (joined: JoinedCrc<bigint>): JoinedText => ({
  get value() {
    return joined.value.toString(16).padStart(16, '0');
  },
  add: (value, length) => joined.add(BigInt(`0x${value}`), length),
});

/** The checksums that can be computed from those of pieces. */
const JOINED: Readonly<Partial<Record<ChecksumAlgorithm, () => JoinedText>>> = {
  crc32: () => asText32(joinedCrc32()),
  crc32c: () => asText32(joinedCrc32c()),
  crc64: () => asText64(joinedCrc64()),
  crc64nvme: () => asText64(joinedCrc64nvme()),
};

/** Whether the checksum of all data follows from those of its pieces. */
export const canBeJoined = (algorithm: ChecksumAlgorithm): boolean => algorithm in JOINED;

/** Undefined: it does not follow. */
export const joinedChecksum = (algorithm: ChecksumAlgorithm): JoinedText | undefined =>
  JOINED[algorithm]?.();
