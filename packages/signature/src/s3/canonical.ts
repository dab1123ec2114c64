import { sha256Hex } from '../hashes.js';
import { byBytes, type HeaderFields, type QueryFields } from '../request.js';
import { ALGORITHM, type Scope, scopeText } from './scope.js';

export interface CanonicalParts {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: string;
  /** Names in lower case, sorted and joined with `;`. */
  readonly signedHeaders: string;
  readonly payloadHash: string;
}

export const canonicalRequest = (parts: CanonicalParts): string =>
  [
    parts.method.toUpperCase(),
    parts.path,
    parts.query,
    `${parts.headers}\n`,
    parts.signedHeaders,
    parts.payloadHash,
  ].join('\n');

/** The parameters sorted by name and then by value, without the signature itself. */
export function canonicalQuery({ parameters }: QueryFields): string {
  if (parameters.length === 0) return '';
  return parameters
    .filter(({ key }) => key !== 'x-amz-signature')
    .sort((a, b) => byBytes(a.name, b.name) || byBytes(a.value, b.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');
}

/** Values of one name are joined with commas, and runs of white space count as one space. */
export const canonicalHeaders = (names: readonly string[], headers: HeaderFields): string =>
  names
    .map((name) => `${name}:${(headers.signed(name) ?? []).map(collapsed).join(',')}`)
    .join('\n');

/** Collapses ASCII white space only, because a byte of UTF-8 can look like other white space. */
const collapsed = (value: string): string =>
  LOOSE.test(value)
    ? value
        .split(/[ \t\n\v\f\r]/)
        .filter((word) => word !== '')
        .join(' ')
    : value;

const LOOSE = /[\t\n\v\f\r]|^ | $| {2}/;

export const stringToSign = (timestamp: string, scope: Scope, canonical: string): string =>
  [ALGORITHM, timestamp, scopeText(scope), sha256Hex(canonical)].join('\n');
