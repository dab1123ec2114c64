import { StorageError } from '@bucketware/core';
import fc from 'fast-check';
import { LEGAL } from './corpus.js';

/** Runs a parser; what it refuses with a StorageError is `undefined`. Anything else is a crash. */
export function refusing<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof StorageError && isRefusal(error.status)) return undefined;
    throw error;
  }
}

/** What the client may mend, or what is not offered (NotImplemented). */
const isRefusal = (status: number): boolean => (status >= 400 && status < 500) || status === 501;

export const polluted = (): boolean => Object.keys(Object.prototype).length > 0 || 'polluted' in {};
export const check = (property: fc.IRawProperty<unknown>, numRuns: number): void => {
  fc.assert(property, { numRuns });
};

/** What a header can hold: one character for each byte. */
export const latin = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
});
/** Text of all kinds, half characters too. */
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
