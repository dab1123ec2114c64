/** Text percent-encoded except for the unreserved characters (RFC 3986 section 2.3). */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * A key in a path. Browsers and fetch resolve `.` and `..` between slashes, also percent-encoded
 * ones, so a key with such a segment has its slashes percent-encoded.
 */
export function encodeKey(key: string): string {
  if (key === '.' || key === '..') {
    throw new TypeError(`fetch cannot address an object with the key "${key}".`);
  }
  const hasDots = key.split('/').some((segment) => segment === '.' || segment === '..');
  return hasDots ? encode(key) : key.split('/').map(encode).join('/');
}

/** fetch takes the bytes of a header as one character each. */
export const toHeader = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');

/** The text of a header's bytes, or the bytes as they are where they are not UTF-8. */
export function fromHeader(bytes: string): string {
  const codes = Uint8Array.from(bytes, (character) => character.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(codes);
  } catch {
    return bytes; // A TypeError is all that decode throws.
  }
}
