import { checkPlainData } from '@bucketware/core/contracts';
import { Packr } from 'msgpackr';

/** Without records: every value stands for itself and needs no table to be read. */
const packr = new Packr({ useRecords: false, mapsAsObjects: true, variableMapSize: true });

export const pack = (value: unknown): Buffer => packr.pack(value);
export const unpack = (bytes: Uint8Array): unknown => packr.unpack(bytes);

/** Bytes within the value are copied: who gets them may change them, and a page must stay. */
const copier = new Packr({ useRecords: false, mapsAsObjects: true, copyBuffers: true });
export const decodeValue = (bytes: Uint8Array): unknown => copier.unpack(bytes);

export function encodeValue(value: unknown): Buffer {
  checkPlainData(value);
  return pack(value);
}
