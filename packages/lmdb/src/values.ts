import { Packr } from 'msgpackr';

/** Without records: every value stands for itself and needs no table to be read. */
const packr = new Packr({
  useRecords: false,
  mapsAsObjects: true,
  variableMapSize: true,
  // Values are decoded from a buffer that the next read overwrites.
  copyBuffers: true,
});

export function encodeValue(value: unknown): Buffer {
  checkPlain(value);
  return packr.pack(value);
}

export const decodeValue = (bytes: Uint8Array): unknown => packr.unpack(bytes);

/** Refuses what MessagePack would change on the way, such as an object's key `__proto__`. */
function checkPlain(value: unknown): void {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
    throw new TypeError(`A record cannot hold a ${typeof value}.`);
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  if (Array.isArray(value)) {
    value.forEach(checkPlain);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError('A record holds plain objects, arrays and Uint8Array only.');
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw new TypeError('A record cannot hold a key named __proto__.');
    checkPlain((value as Record<string, unknown>)[key]);
  }
}
