import type { ForeignPage as LetIn } from '../actions/application.js';
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
 * What happens to a change that a page of another site requests. A browser sends cookies with it,
 * so a visitor of that page would make the change unknowingly (CSRF).
 *
 * `refuse`: AccessDenied, unless a CORS rule of the bucket allows that origin and method. A list:
 * the same, but pages of these origins are treated like the host's own. `allow`: it is carried out.
 * Where a CORS rule allows such a page, it can read responses to requests with its visitors'
 * cookies, in all buckets.
 */
export type CrossSiteRequests = 'refuse' | 'allow' | readonly string[];

export const CROSS_SITE_REQUESTS: OptionKind = {
  is: "'refuse', 'allow', or a list of origins such as https://app.example.com",
  fits: (value) =>
    value === 'refuse' || value === 'allow' || (Array.isArray(value) && value.every(isOrigin)),
};

const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;

/** How a request identifies its caller. */
export interface Login {
  readonly headers: RequestHeaders;
  /** By a signature in the URL. Known once the caller is. */
  isSigned: boolean;
}

export interface Sender extends Login {
  /** The host as browsers know it, with its port. */
  ownHost(): string;
  /** The CORS rule that allows this origin and method. */
  readonly rule: CorsRule | undefined;
}

/** A page of another site that the CORS rules of a bucket allow. */
export interface ForeignPage extends LetIn {
  /**
   * Throws AccessDenied when the browser sent a login by itself, and the bucket belongs neither to
   * that caller nor to the host, or its rule does not allow credentials.
   */
  requireOwner(bucket: Bucket | undefined, principal: Principal | undefined, host: Principal): void;
}

/**
 * Throws AccessDenied when a page of another site requests a change. JSON is accepted whatever its
 * Content-Type, because clients send none, and a form can send any text. So this check is what
 * protects users whose login is a cookie. Returns the page when a CORS rule allowed it.
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
  // Browsers that know this header identify the site, whatever proxies did to the host.
  const site = headers.get('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = headers.get('origin');
  if (origin === undefined) return false;
  // `null`, and what is not a URL, matches no origin.
  if (!URL.canParse(origin)) return true;
  const { protocol, host } = new URL(origin);
  return host === '' || hostOf(`${protocol}//${ownHost()}`) !== host;
}

/** A rule for every origin does not cover logins that a browser sends by itself. */
const isAllowed = (
  rule: CorsRule | undefined,
  origin: string,
  login: Login,
  principal?: Principal,
): boolean =>
  rule !== undefined && !(isForEveryOrigin(rule, origin) && bringsLogin(login, principal));

const SENT_BY_ITSELF = /^(basic|digest|negotiate|ntlm)\b/i;

/**
 * Whether the browser may have sent a login by itself. The login of a known caller need not be in a
 * header: it can be a client certificate, an address, or something that a proxy adds. Only a script
 * sends a token or a signature.
 */
function bringsLogin({ headers, isSigned }: Login, principal?: Principal): boolean {
  const authorization = headers.get('authorization');
  if (headers.has('cookie') || SENT_BY_ITSELF.test(authorization ?? '')) return true;
  return principal !== undefined && authorization === undefined && !isSigned;
}

const isOf = (bucket: Bucket, principal: Principal | undefined, host: Principal): boolean =>
  isOwner(bucket, principal) || isOwner(bucket, host);

/**
 * Whether a page of another origin may read responses that depend on its visitor's login. The owner
 * of a bucket sets its rules, and must not learn from a page of their own who visits it.
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

/** Without the default port of the protocol. */
const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).host : undefined;
