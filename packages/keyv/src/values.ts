import { Packr } from 'msgpackr';

/** Without msgpackr's record extension, so that each page can be read on its own. */
const packr = new Packr({ useRecords: false, mapsAsObjects: true, variableMapSize: true });

export const pack = (value: unknown): Buffer => packr.pack(value);
export const unpack = (bytes: Uint8Array): unknown => packr.unpack(bytes);
