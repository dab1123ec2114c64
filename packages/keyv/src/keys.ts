/**
 * Inside the tree a key is a byte string: text with one character per UTF-8 byte. JavaScript
 * compares such texts as the contract orders keys, and plain ASCII stays as it is.
 */
export type ByteString = string;

const MAX_KEY_BYTES = 1200;

/** No UTF-8 text holds this byte: it lies behind every key, and may stand between keys. */
export const LAST_BYTE = '\xff';

const ASCII = /^[\x00-\x7f]*$/;

export function encodeKey(key: string): ByteString {
  const bytes = encodeText(key);
  if (bytes.length === 0 || bytes.length > MAX_KEY_BYTES) {
    throw new TypeError(`A key has 1 to ${MAX_KEY_BYTES} bytes of UTF-8.`);
  }
  return bytes;
}

export function decodeKey(bytes: ByteString): string {
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString();
}

/** Where a listing begins and the first place behind it. */
export function encodeRange(prefix: string, start: string): { start: ByteString; end: ByteString } {
  const low = encodeText(prefix);
  const first = encodeText(start);
  const end = low + LAST_BYTE;
  return first < low ? { start: low, end } : { start: first, end };
}

/** The shortest text behind `left` that is not behind `right`, which comes later. */
export function separator(left: ByteString, right: ByteString): ByteString {
  const [text = ''] = detached([right.slice(0, sharedLength(left, right) + 1)]);
  return text;
}

/** The same texts as copies: a part of a longer text would keep all of that one in memory. */
export const detached = (texts: readonly ByteString[]): ByteString[] =>
  Buffer.from(texts.join(LAST_BYTE), 'latin1').toString('latin1').split(LAST_BYTE);

/** How many bytes two texts have in common from their beginning on. */
export function sharedLength(left: ByteString, right: ByteString): number {
  const most = Math.min(left.length, right.length);
  let same = 0;
  while (same < most && left[same] === right[same]) same++;
  return same;
}

/** A lone surrogate has no UTF-8 form, so two such texts could become one. */
function encodeText(text: string): ByteString {
  if (ASCII.test(text)) return text;
  if (!text.isWellFormed()) throw new TypeError('A key is well-formed Unicode text.');
  return Buffer.from(text).toString('latin1');
}
