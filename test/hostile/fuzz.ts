import { StorageError } from '@bucketware/core';
import fc from 'fast-check';
import { LEGAL } from './corpus.js';

/** Runs a parser. Returns `undefined` if it throws a StorageError. Any other error is a crash. */
export function refusing<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof StorageError && isRefusal(error.status)) return undefined;
    throw error;
  }
}

/** Errors that the client can correct, or NotImplemented. */
const isRefusal = (status: number): boolean => (status >= 400 && status < 500) || status === 501;

export const polluted = (): boolean => Object.keys(Object.prototype).length > 0 || 'polluted' in {};
export const check = (property: fc.IRawProperty<unknown>, numRuns: number): void => {
  fc.assert(property, { numRuns });
};

/** A header value, with one character for each byte. */
export const latin = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
});
/** Text of all kinds, including lone surrogates. */
export const any = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  latin,
  fc.constantFrom(...LEGAL),
);
export const wire = (...pieces: readonly string[]) =>
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.nat().map(String), latin), { maxLength: 12 })
    .map((list) => list.join(''));
