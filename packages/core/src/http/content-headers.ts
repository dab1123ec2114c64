import { isForOne, isForOthers } from '../actions/cache-control.js';
import type { Principal } from '../contracts/principal.js';
import type { Openness } from '../engine/access/openness.js';
import { StorageError } from '../errors.js';
import type { RequestHeaders } from './headers.js';
import { HttpError } from './http-error.js';
import { OVERRIDE_NAMES, OVERRIDES, type OverrideName } from './object-headers.js';

export { isForOne };

/** The response headers that a request overrides. */
type Overrides = { readonly [Name in OverrideName]?: unknown };

/** The names of these headers. */
const overridden = (overrides: Overrides): string[] =>
  OVERRIDE_NAMES.filter((name) => overrides[name] !== undefined).map((name) => OVERRIDES[name]);

/** The facts that decide which protective headers an object gets. */
export interface Exposure {
  /** Whether objects may run scripts in the app's origin. */
  readonly trusted: boolean;
  /** Whether a CORS rule allows the requesting page. */
  readonly shared: boolean;
  /**
   * Whether a page could use the object as a script or style, although the request does not say so.
   */
  readonly usable: boolean;
  /** The headers that the request has instead of the stored ones. */
  readonly overrides: Overrides;
}

/** Images, PDFs and text open in this sandbox, but no script runs. */
const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
/**
 * The browser's player loads the same URL again, which a sandboxed page without an origin could not
 * do.
 */
const PLAYER =
  "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox allow-same-origin";

/**
 * Media types that no browser opens as a document: `video/x+xml` would be XML. A parameter other
 * than the codecs could hide a second type.
 */
const MEDIA = /^(?:audio|video)\/[a-z0-9.-]+(?:; ?codecs=(?:[\w.-]+|"[\w., -]+"))?$/i;

/** A browser uses the last of several types, whatever else the header contains. */
const RUNNABLE = /\/(?:x-)?(?:java|ecma|j|live)script|\/css/i;

/** Whether a stored header is the type of a script or style. */
export const isRunnable = ([name, value]: readonly [name: string, value: string]): boolean =>
  name === 'content-type' && RUNNABLE.test(value);

/** The request headers that decide how scripts and styles are sent. */
const VARY_OF_RUNNABLE = 'Sec-Fetch-Dest, Sec-Fetch-Site, User-Agent';

/**
 * Adds the headers for browsers and caches to a response with a user's data.
 *
 * Throws InvalidArgument when caches would be allowed to serve private data to everyone.
 */
export function protectContent(
  status: number,
  headers: Record<string, string>,
  { open, anyone }: Openness,
  { trusted, shared, usable, overrides }: Exposure,
): void {
  headers['cache-control'] = cacheControl(status, headers, open, overrides);
  headers['x-content-type-options'] = 'nosniff';
  headers['cross-origin-resource-policy'] = anyone || shared ? 'cross-origin' : 'same-origin';
  // A cache that ignores `private` must at least distinguish callers.
  const vary = open ? [] : ['Authorization, Cookie'];
  if (!trusted) {
    const type = headers['content-type'] ?? '';
    headers['content-security-policy'] = MEDIA.test(type) ? PLAYER : SANDBOX;
    const runs = RUNNABLE.test(type);
    if (runs && usable) headers['content-type'] = 'text/plain; charset=utf-8';
    // Otherwise a shared cache would serve to a script tag what it stored for a link.
    vary.unshift(runs ? VARY_OF_RUNNABLE : 'Sec-Fetch-Dest');
  }
  if (vary.length > 0) headers.vary = vary.join(', ');
}

const UNCHANGED = /(?:^|[\s,])no-transform(?:$|[\s,])/i;

/**
 * A stored Cache-Control is returned unchanged, as the interface requires, with two exceptions. A
 * range must not be compressed on the way, because it could not be combined with other ranges. One
 * caller's overrides must not reach other callers, who may follow the same link.
 *
 * Without `max-age`, a browser would estimate from Last-Modified how long an object stays the same
 * (RFC 9111 section 4.2.2), and show the old data of one that was replaced.
 */
function cacheControl(
  status: number,
  { 'cache-control': given, expires }: Readonly<Record<string, string>>,
  open: boolean,
  overrides: Overrides,
): string {
  const requested = overridden(overrides);
  const replaced = overrides.responseCacheControl !== undefined;
  const lasting = expires === undefined ? 'max-age=0, no-transform' : 'no-transform';
  if (requested.length > 0 && !replaced && (open || given === undefined))
    return `private, ${lasting}`;
  if (given === undefined) return open ? lasting : `private, ${lasting}`;
  if (replaced) {
    const isForAll = open && requested.length === 1;
    if (!isForAll) requireOwnCaching(given, overrides.responseExpires !== undefined);
    return given;
  }
  return status === 206 && !UNCHANGED.test(given) ? `${given}, no-transform` : given;
}

/** The requested value is returned exactly (GetObject, response-header override). */
function requireOwnCaching(given: string, expires: boolean): void {
  if (isForOne(given) || !(expires || isForOthers(given))) return;
  const message =
    'A request may override cache-control for shared caches only if everyone gets the same response ' +
    'and nothing else is overridden. Add private.';
  throw new StorageError('InvalidArgument', message);
}

/**
 * Destinations for which a browser runs the content, or styles a page with it, in the app's origin.
 */
const ACTIVE = new Set([
  ...['script', 'style', 'xslt', 'manifest', 'worker', 'sharedworker', 'serviceworker'],
  ...['audioworklet', 'paintworklet'],
]);

/** Throws AccessDenied when a page of the app would run a user's data as its own code. */
export function requireInactive(headers: RequestHeaders): void {
  const use = headers.get('sec-fetch-dest') ?? headers.get('service-worker');
  if (use === undefined || !ACTIVE.has(use)) return;
  const message =
    `Objects are not served for use as ${use}. An app that trusts all of its users may set ` +
    'trustedContent.';
  throw new HttpError('AccessDenied', message, { headers: { vary: 'Sec-Fetch-Dest' } });
}

/**
 * Whether a browser may use the response for anything. `empty` comes from a script that fetches, or
 * from a service worker that forwards the request of any tag. Old browsers, and all browsers over
 * plain http, send no header.
 */
export function isUsable(headers: RequestHeaders): boolean {
  const dest = headers.get('sec-fetch-dest');
  return dest === undefined ? isFromBrowser(headers) : dest === 'empty';
}

/** Whether a request may come from a browser. */
export const isFromBrowser = (headers: RequestHeaders): boolean =>
  headers.has('sec-fetch-dest') ||
  headers.has('sec-fetch-site') ||
  /^mozilla\//i.test(headers.get('user-agent') ?? '');

/**
 * Throws InvalidArgument when the override may come from someone else: anyone could write a link
 * that turns an image into a download from the app, or text into a page.
 */
export function requireOwnOverrides(
  overrides: Overrides,
  principal: Principal | undefined,
  headers: RequestHeaders,
  { trusted, bySignedUrl = false }: { trusted: boolean; bySignedUrl?: boolean | undefined },
): void {
  const [requested] = overridden(overrides);
  if (requested === undefined) return;
  const site = headers.get('sec-fetch-site');
  // The signature of a link covers its overrides.
  const isOwn = bySignedUrl || site === undefined || site === 'same-origin' || site === 'none';
  const type = overrides.responseContentType;
  if (!trusted && isUsable(headers) && typeof type === 'string' && RUNNABLE.test(type)) {
    const message =
      'A request may not override content-type to turn an object into a script or style.';
    throw new StorageError('InvalidArgument', message);
  }
  if (principal !== undefined && isOwn) return;
  const who = principal === undefined ? 'An anonymous caller' : 'A link on another site';
  throw new StorageError('InvalidArgument', `${who} may not override ${requested}. Leave it out.`);
}
