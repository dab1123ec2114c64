import type { ExpectedDigests } from '../engine/content/digests.js';
import { StorageError } from '../errors.js';
import { checksumHeaders } from './checksums.js';
import { type Codec, header, type InputOf, Unfit } from './fields.js';
import type { RequestHeaders } from './headers.js';
import { Query } from './query.js';

const MD5 = /^[A-Za-z0-9+/]{22}==$/;
const SHA256 = /^[0-9a-f]{64}$/;
const DECIMAL = /^(0|[1-9]\d{0,9})$/;

/** A digest that could never match is answered like one that does not: BadDigest. */
function digestText(shape: RegExp, meaning: string): Codec<string> {
  const check = (value: unknown): string => {
    if (typeof value === 'string' && shape.test(value)) return value;
    throw new Unfit(meaning, 'BadDigest');
  };
  return { fromText: check, fromValue: check };
}

const md5 = digestText(MD5, 'the base64 form of 16 bytes');
const sha256 = digestText(SHA256, '64 lower-case hexadecimal digits');
const decimal = digestText(DECIMAL, 'an unsigned decimal number');
const crc32: Codec<number> = {
  fromText: (text) => Number(decimal.fromText(text)),
  fromValue: (value) => Number(decimal.fromValue(typeof value === 'number' ? `${value}` : '')),
};

/** What a client may send to have its bytes verified. */
export const digestHeaders = {
  contentMd5: header('content-md5', md5),
  contentSha256: header('x-svc-content-sha256', sha256),
  contentCrc32: header('x-svc-content-crc32', crc32),
  ...checksumHeaders,
};

/** The digests of a JSON body, which every operation that takes one verifies. */
export const bodyDigests = (headers: RequestHeaders): ExpectedDigests => ({
  md5: digestHeaders.contentMd5.read({ headers, query: NO_QUERY }),
  sha256: digestHeaders.contentSha256.read({ headers, query: NO_QUERY }),
});
const NO_QUERY = new Query('');

/** What would have to be computed over the whole of an object whose parts are there already. */
function ofTheWhole(name: string): Codec<never> {
  const refuse = (): never => {
    const message = `${name} of an object in parts is not offered. Send x-svc-content-crc32.`;
    throw new StorageError('NotImplemented', message);
  };
  return { fromText: refuse, fromValue: refuse };
}

/** The same of an object that is completed from its parts. */
export const wholeDigestHeaders = {
  contentCrc32: header('x-svc-content-crc32', crc32),
  contentCrc32c: header('x-svc-content-crc32c', ofTheWhole('x-svc-content-crc32c')),
  contentCrc64ecma: header('x-svc-content-crc64ecma', ofTheWhole('x-svc-content-crc64ecma')),
};

export const expectedDigests = (input: InputOf<typeof digestHeaders>): ExpectedDigests => ({
  md5: input.contentMd5,
  sha256: input.contentSha256,
  crc32: input.contentCrc32,
});
