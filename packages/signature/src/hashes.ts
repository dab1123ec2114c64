import { createHash, createHmac, type Hash, hash, timingSafeEqual } from 'node:crypto';

/**
 * Text is hashed as Latin-1, because text that arrives over HTTP has one character for each byte.
 * Form fields may have other characters, which Latin-1 would cut to a byte: such text must not have
 * the signature of its bytes.
 */
const bytesOf = (text: string): Buffer =>
  Buffer.from(text, NOT_LATIN1.test(text) ? 'utf8' : 'latin1');

const NOT_LATIN1 = /[^\0-\xff]/;

export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export const startSha256 = (): Hash => createHash('sha256');

export const sha256Hex = (text: string): string => hash('sha256', bytesOf(text), 'hex');

export const hmac = (key: string | Uint8Array, text: string): Buffer =>
  createHmac('sha256', key).update(bytesOf(text)).digest();

export const hmacHex = (key: string | Uint8Array, text: string): string =>
  createHmac('sha256', key).update(bytesOf(text)).digest('hex');

/** For forms signed with Signature Version 2. */
export const hmacSha1Base64 = (key: string, text: string): string =>
  createHmac('sha1', key).update(bytesOf(text)).digest('base64');

/** Compares in constant time for texts of the same length. */
export function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
