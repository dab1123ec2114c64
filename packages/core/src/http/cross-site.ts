import type { ForeignPage as LetIn } from '../actions/call.js';
import type { Principal } from '../contracts/principal.js';
import { isOwner } from '../engine/access/decision.js';
import type { Bucket } from '../engine/buckets/buckets.js';
import { isForEveryOrigin } from '../engine/buckets/cors.js';
import type { CorsRule } from '../engine/records/settings.js';
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
 * Where a CORS rule is for such a page, it sees the answers to the cookies of its visitors in all buckets.
 */
export type CrossSiteRequests = 'refuse' | 'allow' | readonly string[];

export const CROSS_SITE_REQUESTS: OptionKind = {
  is: "'refuse', 'allow', or a list of origins such as https://app.example.com",
  fits: (value) =>
    value === 'refuse' || value === 'allow' || (Array.isArray(value) && value.every(isOrigin)),
};

const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;

/** How a request shows who is calling. */
export interface Login {
  readonly headers: RequestHeaders;
  /** The url is signed. */
  readonly isSigned: boolean;
}

export interface Sender extends Login {
  /** The host by which browsers know this server, with its port. */
  ownHost(): string;
  /** The CORS rule that is for this origin and method. */
  readonly rule: CorsRule | undefined;
}

/** A page of another site that the CORS rules of a bucket let in. */
export interface ForeignPage extends LetIn {
  /**
   * Throws AccessDenied when the browser sent a login by itself, and the bucket belongs neither to
   * that caller nor to the host, or its rule was not made for logins.
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
  if (origin !== undefined && isAllowed(sender.rule, origin, sender))
    return foreignPage(sender, origin);
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
const isAllowed = (
  rule: CorsRule | undefined,
  origin: string,
  login: Login,
  principal?: Principal,
): boolean =>
  rule !== undefined && !(isForEveryOrigin(rule, origin) && bringsLogin(login, principal));

const SENT_BY_ITSELF = /^(basic|digest|negotiate|ntlm)\b/i;

/**
 * Whether the browser may have sent a login by itself. That of a known caller need not stand in a
 * header: it can be a client certificate, an address, or what a proxy adds. Only a script sends a
 * token or a signature.
 */
function bringsLogin({ headers, isSigned }: Login, principal?: Principal): boolean {
  const authorization = headers.get('authorization');
  if (headers.has('cookie') || SENT_BY_ITSELF.test(authorization ?? '')) return true;
  return principal !== undefined && authorization === undefined && !isSigned;
}

const isOf = (bucket: Bucket, principal: Principal | undefined, host: Principal): boolean =>
  isOwner(bucket, principal) || isOwner(bucket, host);

/**
 * Whether a page of another origin may see what the login of its visitor made possible. The rules of
 * a bucket are the word of its owner, who must not learn with a page of their own who visits it.
 */
export function mayShowLogin(
  policy: CrossSiteRequests,
  login: Login,
  about: { bucket: Bucket | undefined; principal: Principal | undefined; host: Principal },
): boolean {
  const { bucket, principal, host } = about;
  if (policy === 'allow' || !bringsLogin(login, principal)) return true;
  if (policy !== 'refuse' && policy.includes(login.headers.get('origin') ?? '')) return true;
  return bucket !== undefined && isOf(bucket, principal, host);
}

function foreignPage(sender: Sender, origin: string): ForeignPage {
  let known: Principal | undefined;
  const refuse = (message: string) => {
    throw new StorageError('AccessDenied', `${message} The host can name it in crossSiteRequests.`);
  };
  return {
    requireOwner(bucket, principal, host) {
      known = principal;
      if (principal === undefined || !bringsLogin(sender, principal)) return;
      if (!isAllowed(sender.rule, origin, sender, principal)) refuse(NOT_BY_NAME);
      if (bucket !== undefined && !isOf(bucket, principal, host)) refuse(NOT_OWN);
    },
    refuseControl() {
      if (bringsLogin(sender, known)) refuse(NO_SETTINGS);
    },
    async requireMethod(store, bucket, method) {
      const { rule } = await crossOrigin(store, bucket, method, sender.headers);
      if (isAllowed(rule, origin, sender, known)) return;
      const message = `The CORS rules of the bucket do not allow this page to ${method}, which this does.`;
      throw new StorageError('AccessDenied', message);
    },
  };
}

const NOT_BY_NAME =
  'The CORS rule for this page is for every origin, so not for logins that browsers send by themselves.';
const NOT_OWN =
  'A page on another origin may use a login that the browser sends by itself only for buckets of the ' +
  'user that it belongs to.';
const NO_SETTINGS =
  'A page on another origin may not set access, rules or other settings with a login that the ' +
  'browser sends by itself.';

/** Without the port that the protocol has anyway. */
const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).host : undefined;
