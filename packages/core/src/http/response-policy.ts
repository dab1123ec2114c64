import type { CrossOrigin } from './cors.js';

/** Who may see an answer. */
export interface Audience {
  readonly cors: CrossOrigin;
  /** A page of another origin may see what the login of its visitor made possible. */
  readonly showsLogin: boolean;
  /** The answer is for one caller. */
  readonly isPrivate: boolean;
}

const CREDENTIALS = 'access-control-allow-credentials';
const RESOURCE_POLICY = 'cross-origin-resource-policy';

/**
 * Adds what every answer says to browsers and caches. Where a policy of its own is missing, other
 * origins see nothing of it: if errors lacked what successes have, they would tell both apart.
 */
export function addPolicies(
  headers: Record<string, string>,
  { cors, showsLogin, isPrivate }: Audience,
): void {
  const { vary } = headers;
  for (const name in cors.headers) {
    if (showsLogin || name !== CREDENTIALS) headers[name] ??= cors.headers[name] as string;
  }
  const { vary: origins } = cors.headers;
  if (origins !== undefined && vary?.startsWith(origins) === false) {
    headers.vary = `${origins}, ${vary}`;
  }
  headers[RESOURCE_POLICY] ??= cors.rule === undefined ? 'same-origin' : 'cross-origin';
  // A shared cache must not give to others what was answered to somebody.
  if (isPrivate) headers['cache-control'] ??= 'private';
}
