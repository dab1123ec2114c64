/** Percent-encodes all but the unreserved characters (RFC 3986 section 2.3). */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * Encodes a key for a path. Browsers and fetch resolve `.` and `..` between slashes, even if
 * percent-encoded, so in a key with such a segment slashes are percent-encoded.
 */
export function encodeKey(key: string): string {
  if (key === '.' || key === '..') {
    throw new TypeError(`fetch cannot address an object with the key "${key}".`);
  }
  const hasDots = key.split('/').some((segment) => segment === '.' || segment === '..');
  return hasDots ? encode(key) : key.split('/').map(encode).join('/');
}

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const isSpace = (character = 'x'): boolean => ' \t\r\n'.includes(character);

/** Without spaces and line breaks at its ends, which fetch removes. No regular expression is as fast. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (isSpace(text[start])) start++;
  while (end > start && isSpace(text[end - 1])) end--;
  return text.slice(start, end);
}

/**
 * fetch takes a header with one character for each byte. Throws a TypeError for control characters,
 * which would look like a failure of the network.
 */
export function toHeader(text: string): string {
  const bytes = utf8(trimmed(`${text ?? ''}`));
  if (bytes.some((byte) => (byte < 32 && byte !== 9) || byte === 127)) {
    throw new TypeError('A header must not contain control characters.');
  }
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

/** Decodes a header from UTF-8. Returns it unchanged if it is not UTF-8. */
export function fromHeader(bytes: string): string {
  const codes = Uint8Array.from(bytes, (character) => character.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(codes);
  } catch {
    return bytes; // decode throws nothing but TypeError.
  }
}
