import type { Principal } from '../contracts/principal.js';
import { StorageError } from '../errors.js';
import type { RequestHeaders } from './headers.js';
import { responseOverrides } from './object-headers.js';

/** What decides how carefully the bytes of an object are answered. */
export interface Exposure {
  /** An anonymous caller may read them too. */
  readonly open: boolean;
  /** They may run scripts in the host's origin. */
  readonly trusted: boolean;
  /** A CORS rule is for the page that asks. */
  readonly shared: boolean;
}

/** Images, PDF and text open in it, and nothing runs. */
const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
/** The browser's player loads the same url again, which a page without an origin could not. */
const PLAYER =
  "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox allow-same-origin";

/**
 * Media types that no browser takes for a document: `video/x+xml` would be XML. A parameter other
 * than the codecs could hide a second type.
 */
const MEDIA = /^(?:audio|video)\/[a-z0-9.-]+(?:; ?codecs=(?:[\w.-]+|"[\w., -]+"))?$/i;

/**
 * Adds what an answer with a user's bytes says to browsers and caches. A stored Cache-Control is
 * answered as it is, as the interface wants it; but a part of an object that was compressed on its
 * way could never be put together with others.
 */
export function protectContent(
  status: number,
  headers: Record<string, string>,
  { open, trusted, shared }: Exposure,
): void {
  const given = headers['cache-control'];
  if (given === undefined) {
    headers['cache-control'] = open ? 'no-transform' : 'private, no-transform';
  } else if (status === 206 && !/(^|[\s,])no-transform($|[\s,])/i.test(given)) {
    headers['cache-control'] = `${given}, no-transform`;
  }
  headers['x-content-type-options'] = 'nosniff';
  headers['cross-origin-resource-policy'] = open || shared ? 'cross-origin' : 'same-origin';
  if (trusted) return;
  headers['content-security-policy'] = MEDIA.test(headers['content-type'] ?? '') ? PLAYER : SANDBOX;
  // Else a shared cache would answer a script tag with what it keeps for a link.
  headers.vary = 'Sec-Fetch-Dest';
}

/** What a browser fetches to run it, or to lay out a page with it, in the origin of the host. */
const ACTIVE = new Set([
  ...['script', 'style', 'xslt', 'manifest', 'worker', 'sharedworker', 'serviceworker'],
  ...['audioworklet', 'paintworklet'],
]);

/** Throws AccessDenied when a page of the host would run a user's bytes as its own. */
export function requireInactive(headers: RequestHeaders): void {
  const use = headers.get('sec-fetch-dest') ?? headers.get('service-worker');
  if (use === undefined || !ACTIVE.has(use)) return;
  const message =
    `Objects are not served for use as ${use}. A host whose users are all trusted may set ` +
    'trustedContent.';
  throw new StorageError('AccessDenied', message, { headers: { vary: 'Sec-Fetch-Dest' } });
}

/**
 * Throws InvalidArgument when somebody else decides what an answer says: with a link that anybody
 * can write, an image would become a download of the host, and text a page.
 */
export function requireOwnOverrides(
  input: Readonly<Record<string, unknown>>,
  principal: Principal | undefined,
  headers: RequestHeaders,
): void {
  const asked = Object.keys(responseOverrides).find((name) => input[name] !== undefined);
  if (asked === undefined) return;
  const site = headers.get('sec-fetch-site');
  const isOwn = site === undefined || site === 'same-origin' || site === 'none';
  if (principal !== undefined && isOwn) return;
  const who = principal === undefined ? 'anonymous callers' : 'links of other sites';
  throw new StorageError('InvalidArgument', `${asked} is not for ${who}. Leave it out.`);
}
