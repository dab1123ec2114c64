import { StorageError } from '../errors.js';
import { type Prefixes, RequestHeaders } from '../http/headers.js';
import type { Query } from '../http/query.js';
import { quoted } from '../quoted.js';
import { isIdle } from './features.js';

/** A request whose headers were moved from the query to the headers. */
export interface Unfolded {
  readonly headers: RequestHeaders;
  readonly query: Query;
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/** Bytes that headers cannot contain (RFC 9110 section 5.5). */
const FORBIDDEN = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * Moves headers of the interface from the query of a signed URL, where the signature covers them,
 * to the headers. Users of such a URL need not send them. Returns `undefined` if the query contains
 * none.
 */
export function unfold(
  rawHeaders: readonly string[],
  query: Query,
  prefixes: Prefixes,
): Unfolded | undefined {
  if (query.size < 2 || !query.has('authorization')) return undefined;
  const isMoved = (name: string): boolean =>
    name.toLowerCase().startsWith(prefixes.sent) &&
    !name.toLowerCase().endsWith('-security-token') &&
    !(isIdle(name, prefixes.sent) && query.get(name) === '');
  const moved = [...query.names()].filter(isMoved);
  if (moved.length === 0) return undefined;
  const lines = moved.flatMap((name) => headerOf(name, query.get(name) ?? '', prefixes.sent));
  return {
    headers: new RequestHeaders([...rawHeaders, ...lines], prefixes),
    query: query.without(isMoved),
  };
}

/** In a query, a range has no unit. */
function headerOf(name: string, text: string, prefix: string): readonly [string, string] {
  const value = Buffer.from(text.trim()).toString('latin1');
  if (!TOKEN.test(name) || FORBIDDEN.test(value)) {
    throw new StorageError('InvalidArgument', `${quoted(name)} in the query cannot be a header.`);
  }
  if (name.toLowerCase() !== `${prefix}range`) return [name, value];
  return ['range', value === '' || value.startsWith('bytes=') ? value : `bytes=${value}`];
}
