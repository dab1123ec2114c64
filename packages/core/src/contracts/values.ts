import { Packr } from 'msgpackr';
import { checkPlainData } from './plain-data.js';

/** Encodes without shared structures, so that each value can be decoded on its own. */
const packr = new Packr({
  useRecords: false,
  mapsAsObjects: true,
  variableMapSize: true,
  // The buffer may be reused for another value, or belong to a caller.
  copyBuffers: true,
});

/** Encodes plain data as MessagePack. Throws as {@link checkPlainData} does. */
export function encodeValue(value: unknown): Buffer {
  checkPlainData(value);
  return packr.pack(value);
}

/** Decodes what {@link encodeValue} returned. The result shares no memory with `bytes`. */
export const decodeValue = (bytes: Uint8Array): unknown => packr.unpack(bytes);
