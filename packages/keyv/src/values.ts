import { checkPlainData } from '@bucketware/core/contracts';
import { Packr } from 'msgpackr';

/** Without records, so that a value can be read without a table of structures. */
const packr = new Packr({ useRecords: false, mapsAsObjects: true, variableMapSize: true });

export const pack = (value: unknown): Buffer => packr.pack(value);
export const unpack = (bytes: Uint8Array): unknown => packr.unpack(bytes);

/** Copies the bytes within a value: a caller may change them, but the page must stay as it is. */
const copier = new Packr({ useRecords: false, mapsAsObjects: true, copyBuffers: true });
export const decodeValue = (bytes: Uint8Array): unknown => copier.unpack(bytes);

export function encodeValue(value: unknown): Buffer {
  checkPlainData(value);
  return pack(value);
}
