import { Packr } from 'msgpackr';
import { checkPlainData } from './plain-data.js';

/** Without a table of structures, so that each value can be read by itself. */
const packr = new Packr({
  useRecords: false,
  mapsAsObjects: true,
  variableMapSize: true,
  // The buffer may be another value's soon, or belong to a caller.
  copyBuffers: true,
});

/** Plain data as MessagePack. Throws as {@link checkPlainData} does. */
export function encodeValue(value: unknown): Buffer {
  checkPlainData(value);
  return packr.pack(value);
}

/** What {@link encodeValue} was given; nothing of it is a part of `bytes`. */
export const decodeValue = (bytes: Uint8Array): unknown => packr.unpack(bytes);
