import { crc32 } from './crc32.js';
import { md5 } from './md5.js';

/** Checksums of data. Node has faster implementations. */
export interface Checksums {
  /** `before`: the CRC of earlier data, from which to continue. */
  crc32(bytes: Uint8Array, before?: number): number;
  /** In hexadecimal. */
  md5(bytes: Uint8Array): string;
}

export const checksums: Checksums = { crc32, md5 };
