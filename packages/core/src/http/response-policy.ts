import type { CrossOrigin } from './cors.js';

/** Who may read a response. */
export interface Audience {
  readonly cors: CrossOrigin;
  /** Whether a page on another origin may read responses that depend on its visitor's login. */
  readonly showsLogin: boolean;
  /** Whether the response is for one caller only. */
  readonly isPrivate: boolean;
  /** The request headers with the host, for a response that depends on it and may be cached. */
  readonly hosts: string | undefined;
}

const CREDENTIALS = 'access-control-allow-credentials';
const RESOURCE_POLICY = 'cross-origin-resource-policy';

/**
 * Adds the headers for browsers and caches to every response. A response without its own policy is
 * hidden from other origins. If errors lacked the header that other responses have, a page could
 * tell them apart.
 */
export function addPolicies(
  headers: Record<string, string>,
  { cors, showsLogin, isPrivate, hosts }: Audience,
): void {
  const { vary } = headers;
  for (const name in cors.headers) {
    if (showsLogin || name !== CREDENTIALS) headers[name] ??= cors.headers[name] as string;
  }
  const { vary: origins } = cors.headers;
  if (origins !== undefined && vary?.startsWith(origins) === false) {
    headers.vary = `${origins}, ${vary}`;
  }
  // The key of a cache may contain only the path, which is another object at another host.
  if (hosts !== undefined) headers.vary = headers.vary ? `${headers.vary}, ${hosts}` : hosts;
  headers[RESOURCE_POLICY] ??= cors.rule === undefined ? 'same-origin' : 'cross-origin';
  if (headers[RESOURCE_POLICY] === 'same-origin') {
    // A page that opens the URL in a window or frame must not see whether the request succeeded.
    headers['cross-origin-opener-policy'] ??= 'same-origin';
    headers['x-frame-options'] ??= 'SAMEORIGIN';
  }
  // A shared cache must not serve one caller's response to others.
  if (isPrivate) headers['cache-control'] ??= 'private';
}
