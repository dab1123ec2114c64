import { crc32 } from 'node:zlib';
import { pack, unpack } from './values.js';

/** Identifies the format of all stored data. */
const FORMAT = 'bw1';

/** The maximum overhead of a sealed text, in bytes. */
const SEAL_BYTES = 64;

/** How many bytes of content fit into a sealed text of this length. */
export const roomIn = (textLength: number): number =>
  Math.floor(((textLength - SEAL_BYTES) * 3) / 4);

/**
 * Encodes content as plain ASCII text, which every adapter and serializer stores unchanged. The
 * text contains the id and a checksum, to detect damage and values that belong to another key.
 */
export function seal(id: string, content: unknown): string {
  const bytes = pack(content);
  return `${FORMAT} ${id} ${checksum(id, bytes)} ${bytes.toString('base64')}`;
}

export function unseal(id: string, text: unknown): unknown {
  if (typeof text !== 'string') throw damage(id, `it is a ${typeof text}`);
  const [format, foundId, sum, content] = text.split(' ', 4);
  if (format !== FORMAT) throw damage(id, `its format is ${JSON.stringify(format?.slice(0, 20))}`);
  if (foundId !== id) throw damage(id, `it belongs to ${JSON.stringify(foundId?.slice(0, 40))}`);
  const bytes = decodeBase64(content ?? '');
  if (checksum(id, bytes) !== sum) throw damage(id, 'its checksum is wrong');
  return unpack(bytes);
}

/**
 * Allocates separate memory: a small buffer from Node's pool would keep its whole slab in memory.
 */
function decodeBase64(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text, 'base64'));
  return bytes.subarray(0, bytes.write(text, 'base64'));
}

const checksum = (id: string, bytes: Uint8Array): string => crc32(bytes, crc32(id)).toString(16);

export const damage = (id: string, what: string): Error =>
  new Error(`The stored page ${id} is damaged: ${what}. Restore the Keyv store from a backup.`);
