import { encodeBytes, trimmed } from '../encoding.js';
import { hmacHex } from '../hashes.js';
import { byBytes, type QueryFields } from '../request.js';

export const DEFAULT_SCHEME = 'bce-auth-v1';
export const DEFAULT_PREFIX = 'x-svc-';
/** How long a signature is valid by default, in seconds. */
export const DEFAULT_EXPIRES = 1800;
/** The value for a signature that never expires. */
export const NEVER = -1;

/** One line for each header. Lines are sorted, rather than names: `a-b:` comes before `a:`. */
export const canonicalHeaders = (headers: readonly (readonly [string, string])[]): string =>
  headers
    .map(([name, value]) => [encodeBytes(name), encodeBytes(trimmed(value))] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}:${value}`)
    .sort(byBytes)
    .join('\n');

export const canonicalQuery = ({ parameters }: QueryFields): string =>
  parameters
    .filter(({ key }) => key !== 'authorization')
    .map(({ name, value }) => `${name}=${value}`)
    .sort(byBytes)
    .join('&');

/** The key is the hex text of the first HMAC, not its bytes. */
export const signatureOf = (secret: string, authPrefix: string, canonical: string): string =>
  hmacHex(hmacHex(secret, authPrefix), canonical);

/** The headers that are signed by default, in addition to those with the prefix. */
const STANDARD = new Set(['host', 'content-length', 'content-type', 'content-md5']);

export const isSignedByDefault = (name: string, headerPrefix: string): boolean =>
  STANDARD.has(name) || name.startsWith(headerPrefix);
