/** What the contract allows; LMDB itself takes up to 1,978 bytes. */
const MAX_KEY_BYTES = 1200;

/** No UTF-8 text holds this byte, so it lies behind every key. */
const LAST_BYTE = 0xff;

/** Where the database keeps its last version: behind all keys, so that no listing shows it. */
export const SEQUENCE_KEY = Buffer.from([LAST_BYTE]);

/** A key as the bytes it is ordered by. */
export function encodeKey(key: string): Buffer {
  const bytes = encodeText(key);
  if (bytes.length === 0 || bytes.length > MAX_KEY_BYTES) {
    throw new TypeError(`A key has 1 to ${MAX_KEY_BYTES} bytes of UTF-8.`);
  }
  return bytes;
}

/**
 * Where a listing begins and the first place behind it; `undefined` when it must be empty.
 * A start may be longer than a key (the successor of the longest one is): what lies behind the
 * first byte too many changes nothing.
 */
export function encodeRange(
  prefix: string,
  start: string,
): { start: Buffer; end: Buffer } | undefined {
  const prefixBytes = encodeText(prefix);
  const startBytes = encodeText(start).subarray(0, MAX_KEY_BYTES + 1);
  if (prefixBytes.length > MAX_KEY_BYTES) return undefined;
  const first = startBytes.compare(prefixBytes) < 0 ? prefixBytes : startBytes;
  const end = Buffer.concat([prefixBytes, SEQUENCE_KEY]);
  return first.compare(end) < 0 ? { start: first, end } : undefined;
}

/** A lone surrogate has no UTF-8 form, so two such texts could become one. */
function encodeText(text: string): Buffer {
  if (!text.isWellFormed()) throw new TypeError('A key is well-formed Unicode text.');
  return Buffer.from(text);
}
