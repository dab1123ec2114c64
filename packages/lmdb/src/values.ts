import { checkPlainData } from '@bucketware/core/contracts';
import { Packr } from 'msgpackr';

/** Without records, so that a value can be read without a table of structures. */
const packr = new Packr({
  useRecords: false,
  mapsAsObjects: true,
  variableMapSize: true,
  // Values are decoded from a buffer that the next read overwrites.
  copyBuffers: true,
});

export function encodeValue(value: unknown): Buffer {
  checkPlainData(value);
  return packr.pack(value);
}

export const decodeValue = (bytes: Uint8Array): unknown => packr.unpack(bytes);
