import type { ForeignPage as LetIn } from '../actions/call.js';
import type { Principal } from '../contracts/principal.js';
import { isOwner } from '../engine/access/decision.js';
import type { Bucket } from '../engine/buckets/buckets.js';
import { type CorsRule, isForEveryOrigin } from '../engine/buckets/cors.js';
import { StorageError } from '../errors.js';
import type { OptionKind } from '../options.js';
import { crossOrigin } from './cors.js';
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
  /** The host by which browsers know this server, with its port. */
  ownHost(): string;
  /** The CORS rule that is for this origin and method. */
  readonly rule: CorsRule | undefined;
}

/** A page of another site that the CORS rules of a bucket let in. */
export interface ForeignPage extends LetIn {
  /**
   * Throws AccessDenied when the browser sent a login by itself, and the bucket belongs neither to
   * that caller nor to the host.
   */
  requireOwner(bucket: Bucket | undefined, principal: Principal | undefined, host: Principal): void;
}

/**
 * Throws AccessDenied when a page of another site asks for a change. JSON is taken whatever its
 * Content-Type, as clients send none, and a form can send any text: so this is what protects users
 * whose login is a cookie. Returns the page when it was a CORS rule that let it in.
 */
export function requireOwnSite(policy: CrossSiteRequests, sender: Sender): ForeignPage | undefined {
  if (policy === 'allow' || !isFromAnotherSite(sender)) return undefined;
  const origin = sender.headers.get('origin');
  if (origin !== undefined && policy !== 'refuse' && policy.includes(origin)) return undefined;
  if (origin !== undefined && isAllowed(sender, origin)) return foreignPage(sender.headers, origin);
  const message =
    'A page on another origin may not change anything here. Name its origin in the CORS rules of ' +
    'the bucket. If it is the same origin, the proxy in front must pass the Host header on.';
  throw new StorageError('AccessDenied', message);
}

function isFromAnotherSite({ headers, ownHost }: Sender): boolean {
  // Browsers that know this header say who asks, whatever proxies did to the host.
  const site = headers.get('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = headers.get('origin');
  if (origin === undefined) return false;
  // `null`, and what is no url, is nobody's origin.
  if (!URL.canParse(origin)) return true;
  const { protocol, host } = new URL(origin);
  return host === '' || hostOf(`${protocol}//${ownHost()}`) !== host;
}

/** A rule for every origin was not made for logins that a browser sends by itself. */
function isAllowed({ headers, rule }: Pick<Sender, 'headers' | 'rule'>, origin: string): boolean {
  return rule !== undefined && !(isForEveryOrigin(rule, origin) && bringsLogin(headers));
}

const SENT_BY_ITSELF = /^(basic|digest|negotiate|ntlm)\b/i;
const bringsLogin = (headers: RequestHeaders): boolean =>
  headers.has('cookie') || SENT_BY_ITSELF.test(headers.get('authorization') ?? '');

const foreignPage = (headers: RequestHeaders, origin: string): ForeignPage => ({
  requireOwner(bucket, principal, host) {
    if (bucket === undefined || principal === undefined || !bringsLogin(headers)) return;
    if (isOwner(bucket, principal) || isOwner(bucket, host)) return;
    const message =
      'A page on another origin may use a cookie or password only for buckets of the user that it ' +
      'belongs to. The host can name the origin in crossSiteRequests.';
    throw new StorageError('AccessDenied', message);
  },
  refuseControl() {
    if (!bringsLogin(headers)) return;
    const message =
      'A page on another origin may not set access, rules or other settings with a cookie or ' +
      'password. The host can name the origin in crossSiteRequests.';
    throw new StorageError('AccessDenied', message);
  },
  async requireMethod(store, bucket, method) {
    const { rule } = await crossOrigin(store, bucket, method, headers);
    if (isAllowed({ headers, rule }, origin)) return;
    const message = `The CORS rules of the bucket do not allow this page to ${method}, which this does.`;
    throw new StorageError('AccessDenied', message);
  },
});

/** Without the port that the protocol has anyway. */
const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).host : undefined;
