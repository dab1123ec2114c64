import type { Span } from '../../engine/content/content.js';
import { StorageError } from '../../errors.js';

const RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * The bytes that a range such as `bytes=0-9` selects, or `undefined` for the whole object.
 *
 * Throws InvalidRange: 416 with the size, or 400 on an object of zero bytes (GetObject, rules).
 * Several ranges are an InvalidRange as well.
 */
export function parseRange(range: string | undefined, size: number): Span | undefined {
  if (range === undefined) return undefined;
  if (size === 0) {
    const message = 'An object of zero bytes has no ranges. Leave out the range.';
    throw new StorageError('InvalidRange', message, { status: 400, details: { size } });
  }
  const span = readRange(range, size);
  if (span === 'malformed') {
    throw unsatisfiable(size, 'Write a range as bytes=0-9, bytes=10- or bytes=-5, one at a time.');
  }
  if (span === 'outside')
    throw unsatisfiable(size, `The range is outside the object, which has ${size} bytes.`);
  return span;
}

/** The bytes that a range selects out of `size`, or what is wrong with it. */
export function readRange(range: string, size: number): Span | 'malformed' | 'outside' {
  const match = RANGE.exec(range);
  const [first, last] = [match?.[1], match?.[2]];
  if (first === undefined || last === undefined || (first === '' && last === '')) {
    return 'malformed';
  }
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size);
  return start < end ? { start, end } : 'outside';
}

const unsatisfiable = (size: number, message: string) =>
  new StorageError('InvalidRange', message, { details: { size } });
