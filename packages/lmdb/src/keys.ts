import { checkKey, checkText, MAX_KEY_BYTES } from '@bucketware/core/contracts';

/** No UTF-8 text holds this byte, so it sorts after every key. */
const LAST_BYTE = 0xff;

/** Where the database keeps its last version: after all keys, so that no listing shows it. */
export const SEQUENCE_KEY = Buffer.from([LAST_BYTE]);

/** A key as the bytes it is ordered by. */
export function encodeKey(key: string): Buffer {
  checkKey(key);
  return Buffer.from(key);
}

/**
 * Where a listing begins, and the first place after it; `undefined` when it must be empty.
 * A start may be longer than a key, as the successor of the longest one is. What follows the first
 * excess byte changes nothing.
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

function encodeText(text: string): Buffer {
  checkText(text);
  return Buffer.from(text);
}
