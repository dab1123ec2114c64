import { StorageError } from '../errors.js';
import { type CorsRule, isForEveryOrigin } from '../model/cors.js';
import type { OptionKind } from '../options.js';
import type { RequestHeaders } from './headers.js';

/**
 * What becomes of a change that a page of another site asks for. A browser sends cookies with it, so
 * whoever visits that page would make it unknowingly (CSRF).
 *
 * `refuse`: AccessDenied, unless a CORS rule of the bucket is for that origin and method. A list:
 * the same, but pages of these origins are as good as the host's own. `allow`: it is carried out.
 */
export type CrossSiteRequests = 'refuse' | 'allow' | readonly string[];

export const CROSS_SITE_REQUESTS: OptionKind = {
  is: "'refuse', 'allow', or a list of origins such as https://app.example.com",
  fits: (value) =>
    value === 'refuse' || value === 'allow' || (Array.isArray(value) && value.every(isOrigin)),
};

const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;

export interface Sender {
  readonly headers: RequestHeaders;
  /** The hosts by which a client may know this server, with their ports. */
  readonly hosts: readonly string[];
  /** The CORS rule that is for this origin and method. */
  readonly rule: CorsRule | undefined;
}

/**
 * Throws AccessDenied when a page of another site asks for a change. JSON is taken whatever its
 * Content-Type, as clients send none, and a form can send any text: so this is what protects users
 * whose login is a cookie.
 */
export function requireOwnSite(policy: CrossSiteRequests, sender: Sender): void {
  if (policy === 'allow' || !isFromAnotherSite(sender)) return;
  const origin = sender.headers.get('origin');
  if (origin !== undefined && policy !== 'refuse' && policy.includes(origin)) return;
  if (origin !== undefined && isAllowed(sender, origin)) return;
  const message =
    'A page on another origin may not change anything here. Name its origin in the CORS rules of ' +
    'the bucket. If it is the same origin, the proxy in front must pass the Host header on.';
  throw new StorageError('AccessDenied', message);
}

function isFromAnotherSite({ headers, hosts }: Sender): boolean {
  // Browsers that know this header say who asks, whatever proxies did to the host.
  const site = headers.get('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = headers.get('origin');
  if (origin === undefined) return false;
  // `null`, and what is no url, is nobody's origin.
  if (!URL.canParse(origin)) return true;
  const { protocol, host } = new URL(origin);
  return host === '' || !hosts.some((own) => hostOf(`${protocol}//${own}`) === host);
}

/** A rule for every origin was not made for logins that a browser sends by itself. */
function isAllowed({ headers, rule }: Sender, origin: string): boolean {
  if (rule === undefined) return false;
  if (!isForEveryOrigin(rule, origin)) return true;
  const sentByItself = /^(basic|digest|negotiate|ntlm)\b/i;
  return !headers.has('cookie') && !sentByItself.test(headers.get('authorization') ?? '');
}

/** Without the port that the protocol has anyway. */
const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).host : undefined;
