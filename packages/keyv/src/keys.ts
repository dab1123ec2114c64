import { checkKey, checkText } from '@bucketware/core/contracts';

/**
 * Inside the tree, a key is a byte string: text with one character per UTF-8 byte. JavaScript
 * compares such strings in the order that the contract requires, and plain ASCII stays unchanged.
 */
export type ByteString = string;

/** No UTF-8 text contains this byte, so it sorts after every key and can separate keys. */
export const LAST_BYTE = '\xff';

const ASCII = /^[\x00-\x7f]*$/;

export function encodeKey(key: string): ByteString {
  checkKey(key);
  return toByteString(key);
}

export function decodeKey(bytes: ByteString): string {
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString();
}

/** The range of a listing: `start` is included, `end` is not. */
export function encodeRange(prefix: string, start: string): { start: ByteString; end: ByteString } {
  checkText(prefix);
  checkText(start);
  const low = toByteString(prefix);
  const first = toByteString(start);
  const end = low + LAST_BYTE;
  return first < low ? { start: low, end } : { start: first, end };
}

/**
 * Returns a function that maps a key to the end of its group: the position after all keys that
 * equal it up to and including the first `delimiter` after the prefix. It returns `undefined` for a
 * key that is in no group.
 */
export function groupsOf(
  prefix: string,
  delimiter: string,
): (key: ByteString) => ByteString | undefined {
  const [first, text] = [toByteString(prefix).length, toByteString(delimiter)];
  return (key) => {
    const at = key.indexOf(text, first);
    return at < 0 ? undefined : key.slice(0, at + text.length) + LAST_BYTE;
  };
}

/** The shortest text `s` with `left < s <= right`. */
export function separator(left: ByteString, right: ByteString): ByteString {
  const [text = ''] = detached([right.slice(0, sharedLength(left, right) + 1)]);
  return text;
}

/** Copies the texts, because a substring keeps the whole text it was taken from in memory. */
export const detached = (texts: readonly ByteString[]): ByteString[] =>
  Buffer.from(texts.join(LAST_BYTE), 'latin1').toString('latin1').split(LAST_BYTE);

/** The length of the common prefix of two texts, in bytes. */
export function sharedLength(left: ByteString, right: ByteString): number {
  const most = Math.min(left.length, right.length);
  let same = 0;
  while (same < most && left[same] === right[same]) same++;
  return same;
}

const toByteString = (text: string): ByteString =>
  ASCII.test(text) ? text : Buffer.from(text).toString('latin1');
