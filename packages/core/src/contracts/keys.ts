/** The longest key of a record, in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1200;

/** The maximum number of UTF-8 bytes for one UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

/** Throws a TypeError when `key` is not a valid key of a `MetadataStore`. */
export function checkKey(key: string): void {
  checkText(key);
  const mayBeTooLong = key.length * MAX_BYTES_PER_UNIT > MAX_KEY_BYTES;
  if (key === '' || (mayBeTooLong && Buffer.byteLength(key) > MAX_KEY_BYTES)) {
    throw new TypeError(`A key must have 1 to ${MAX_KEY_BYTES} bytes of UTF-8.`);
  }
}

/**
 * Throws a TypeError when `text` cannot be a key, a prefix or a start: a lone surrogate has no
 * UTF-8 form, so two different texts could become the same bytes.
 */
export function checkText(text: string): void {
  if (!text.isWellFormed()) throw new TypeError('A key must be well-formed Unicode text.');
}

/** No UTF-8 text contains this byte, so it sorts after every key. */
const LAST_BYTE = Buffer.from([0xff]);

/** Encodes a key as the bytes by which it is ordered. Throws as {@link checkKey} does. */
export function encodeKey(key: string): Buffer {
  checkKey(key);
  return Buffer.from(key);
}

/**
 * Where a listing begins, and the first place after it; `undefined` when the listing must be empty.
 * A start may be longer than any key, like the successor of the longest one. Bytes after the first
 * excess byte make no difference.
 */
export function encodeRange(
  prefix: string,
  start: string,
): { start: Buffer; end: Buffer } | undefined {
  const prefixBytes = encodeText(prefix);
  const startBytes = encodeText(start).subarray(0, MAX_KEY_BYTES + 1);
  if (prefixBytes.length > MAX_KEY_BYTES) return undefined;
  const first = startBytes.compare(prefixBytes) < 0 ? prefixBytes : startBytes;
  const end = Buffer.concat([prefixBytes, LAST_BYTE]);
  return first.compare(end) < 0 ? { start: first, end } : undefined;
}

/**
 * The place after all keys of a group: the keys that equal `key` up to and including the first
 * `delimiter` after the prefix. `undefined` when the key is in no group.
 */
export function afterGroup(key: string, prefix: string, delimiter: string): Buffer | undefined {
  const at = key.indexOf(delimiter, prefix.length);
  if (at < 0) return undefined;
  return Buffer.concat([Buffer.from(key.slice(0, at + delimiter.length)), LAST_BYTE]);
}

function encodeText(text: string): Buffer {
  checkText(text);
  return Buffer.from(text);
}
