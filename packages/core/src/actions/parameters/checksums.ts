import { createCRC32, createCRC64 } from 'hash-wasm';
import type { Body } from '../../engine/content/receive.js';
import { SavedHashes } from '../../engine/content/saved-hash.js';
import { StorageError } from '../../errors.js';
import { flag, parameter, Unfit } from './parameter.js';

/** Castagnoli's polynomial, its bits in reverse. */
const CASTAGNOLI = 0x82f63b78;

const DECIMAL = /^(0|[1-9]\d{0,19})$/;

/** An unsigned number of so many bits, given as a number, a bigint, or in decimal digits. */
const decimal = (bits: number) =>
  parameter<bigint, bigint | number | string>((value) => {
    const text = typeof value === 'bigint' || typeof value === 'number' ? `${value}` : value;
    const number = typeof text === 'string' && DECIMAL.test(text) ? BigInt(text) : undefined;
    if (number === undefined || number >= 1n << BigInt(bits)) {
      throw new Unfit(`an unsigned decimal number of ${bits} bits`, 'BadDigest');
    }
    return number;
  });

/** Checksums that are computed only when a client sends them. */
export const checksums = { contentCrc32c: decimal(32), contentCrc64: decimal(64) };

/** Asks for the CRC-32C of the bytes in the answer. */
export const crc32cFlag = { crc32cFlag: flag };

interface Wanted {
  readonly contentCrc32c?: bigint | undefined;
  readonly contentCrc64?: bigint | undefined;
  readonly crc32cFlag?: boolean | undefined;
}

const crc32cs = new SavedHashes(() => createCRC32(CASTAGNOLI));
const crc64s = new SavedHashes(createCRC64);

/** A body whose end is reached only when it matches its checksums. Its source throws BadDigest. */
export function withChecksums(
  body: Body,
  { contentCrc32c, contentCrc64, crc32cFlag }: Wanted,
): Body {
  const wantsCrc32c = contentCrc32c !== undefined || crc32cFlag === true;
  if (!wantsCrc32c && contentCrc64 === undefined) return body;
  let sum: bigint | undefined;

  async function* verified(): AsyncGenerator<Uint8Array> {
    const crc32c = wantsCrc32c ? await crc32cs.begin() : undefined;
    const crc64 = contentCrc64 === undefined ? undefined : await crc64s.begin();
    for await (const chunk of body.source) {
      crc32c?.update(chunk);
      crc64?.update(chunk);
      yield chunk;
    }
    if (crc32c !== undefined) sum = BigInt(`0x${crc32c.hex()}`);
    if (contentCrc32c !== undefined && sum !== contentCrc32c) throw differs('CRC-32C');
    const other = crc64 && BigInt(`0x${crc64.hex()}`);
    if (other !== contentCrc64) throw differs('CRC-64');
  }
  const { length, signal } = body;
  return { source: verified(), length, signal, crc32c: () => (crc32cFlag ? sum : undefined) };
}

const differs = (name: string) =>
  new StorageError('BadDigest', `The ${name} of the body does not match.`);
