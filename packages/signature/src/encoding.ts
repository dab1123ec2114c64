const UNRESERVED = /^[A-Za-z0-9\-_.~]$/;
const NOT_UNRESERVED = /[^A-Za-z0-9\-_.~]/g;
const ENCODED_OR_RESERVED = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-_.~]/g;
const PLAIN_PATH = /^[A-Za-z0-9\-_.~/]*$/;

const hex = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/** Text that arrives over HTTP has one character for each byte. */
function encodeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? hex(code) : encodeURIComponent(character.toWellFormed());
}

function canonicalToken(token: string): string {
  if (token.length === 1) return encodeCharacter(token);
  const byte = Number.parseInt(token.slice(1), 16);
  const character = String.fromCharCode(byte);
  return UNRESERVED.test(character) ? character : hex(byte);
}

/**
 * Percent-encodes all bytes of a raw path once, except unreserved ones (RFC 3986 section 2.3).
 * Slashes and `%2F` stay as they are, because they have different meanings in a path.
 */
export function canonicalPath(raw: string): string {
  if (PLAIN_PATH.test(raw)) return raw;
  return raw.replace(ENCODED_OR_RESERVED, (token) => (token === '/' ? '/' : canonicalToken(token)));
}

/** Encodes a name or value of a raw query in the same way. There, `+` means a space. */
export const canonicalQueryPart = (raw: string): string =>
  raw.replaceAll('+', '%20').replace(ENCODED_OR_RESERVED, canonicalToken);

/** Percent-encodes a header value, which has one character for each byte. */
export const encodeBytes = (bytes: string): string =>
  bytes.replace(NOT_UNRESERVED, encodeCharacter);

/** Percent-encodes text as UTF-8. */
export const encodeText = (text: string): string =>
  encodeURIComponent(text).replace(NOT_UNRESERVED, (token) =>
    token === '%' ? '%' : encodeCharacter(token),
  );

export const encodePath = (path: string): string => path.split('/').map(encodeText).join('/');

/** Decodes a part of a canonical query. Returns `undefined` if its bytes are not UTF-8. */
export function decodeText(canonical: string): string | undefined {
  try {
    return decodeURIComponent(canonical);
  } catch {
    return undefined; // decodeURIComponent throws nothing but URIError.
  }
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t';

/**
 * Removes the spaces around a header's value. A regular expression would take quadratic time.
 */
export function trimmed(value: string): string {
  let [start, end] = [0, value.length];
  while (isBlank(value[start])) start++;
  while (end > start && isBlank(value[end - 1])) end--;
  return value.slice(start, end);
}
