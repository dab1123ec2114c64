/** The longest key of a record, in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1200;

/** No UTF-8 character takes more bytes for one unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3;

/** Throws a TypeError when `key` is not a key that a `MetadataStore` takes. */
export function checkKey(key: string): void {
  checkText(key);
  const mayBeTooLong = key.length * MAX_BYTES_PER_UNIT > MAX_KEY_BYTES;
  if (key === '' || (mayBeTooLong && Buffer.byteLength(key) > MAX_KEY_BYTES)) {
    throw new TypeError(`A key has 1 to ${MAX_KEY_BYTES} bytes of UTF-8.`);
  }
}

/**
 * Throws a TypeError when `text` cannot be a key, a prefix or a start: a lone surrogate has no
 * UTF-8 form, so two different texts could become the same bytes.
 */
export function checkText(text: string): void {
  if (!text.isWellFormed()) throw new TypeError('A key is well-formed Unicode text.');
}
