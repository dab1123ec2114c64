import { crc32 } from './crc32.js';
import { md5 } from './md5.js';

/** Node has faster ones of its own. */
export interface Checksums {
  /** Of bytes that follow those with the CRC `before`. */
  crc32(bytes: Uint8Array, before?: number): number;
  /** In hexadecimal. */
  md5(bytes: Uint8Array): string;
}

export const checksums: Checksums = { crc32, md5 };
