/**
 * A deep copy of a record's value, so that neither side can change what the other one holds.
 * Several times faster than structuredClone, and it refuses what a real store could not keep.
 */
export function copyPlainData(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    if (isScalar(value)) return value;
    throw new TypeError(`A record cannot hold a ${typeof value}.`);
  }
  if (Array.isArray(value)) return value.map(copyPlainData);
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  return copyObject(value);
}

const isScalar = (value: unknown): boolean =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  typeof value === 'undefined';

function copyObject(source: object): object {
  const prototype = Object.getPrototypeOf(source);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError('A record holds plain objects, arrays and Uint8Array only.');
  }
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(source)) {
    const value = copyPlainData((source as Record<string, unknown>)[key]);
    // An assignment to this one name would set the prototype instead.
    if (key === '__proto__') Object.defineProperty(copy, key, { value, ...ordinaryProperty });
    else copy[key] = value;
  }
  return copy;
}

const ordinaryProperty = { enumerable: true, configurable: true, writable: true };
