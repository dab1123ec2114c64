import type { Page } from './page.js';

/** Overheads of V8 in bytes, as measured with Node 20 to 26. */
const PAGE = 600;
const ITEM = 80;
const CHILD = 160;

/** The approximate memory of a page, in bytes. */
export function memoryOf(page: Page): number {
  if ('piece' in page) return PAGE + page.piece.buffer.byteLength;
  if ('children' in page) {
    return page.children.reduce((sum, { low, id }) => sum + CHILD + low.length + id.length, PAGE);
  }
  const { keys, values } = page;
  return keys.reduce((sum, key) => sum + ITEM + key.length, PAGE + values.buffer.byteLength);
}
