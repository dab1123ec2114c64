import type { ForeignPage as AdmittedPage } from '../actions/application.js';
import type { Principal } from '../contracts/principal.js';
import { isOwner } from '../engine/access/decision.js';
import type { Bucket } from '../engine/buckets/buckets.js';
import { isForEveryOrigin } from '../engine/buckets/cors.js';
import type { CorsRule } from '../engine/records/settings.js';
import { StorageError } from '../errors.js';
import type { OptionKind } from '../options.js';
import { crossOrigin } from './cors.js';
import type { RequestHeaders } from './headers.js';
import { originSent } from './sent-url.js';

/**
 * What happens when a page of another site requests a change. The browser sends cookies with the
 * request, so a visitor of that page would make the change unknowingly (CSRF).
 *
 * `refuse`: AccessDenied, unless a CORS rule of the bucket allows that origin and method. A list of
 * origins: the same, but pages of these origins are treated like your own. `allow`: the change is
 * made, and a page that a CORS rule allows can read responses to requests with its visitors'
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
  /** Whether by a signature in the URL. Known once the caller is identified. */
  isSigned: boolean;
}

export interface Sender extends Login {
  /** The host as browsers know it, with its port. */
  ownHost(): string;
  /** The CORS rule that allows this origin and method. */
  readonly rule: CorsRule | undefined;
}

/** A page of another site that the CORS rules of a bucket allow. */
export interface ForeignPage extends AdmittedPage {
  /**
   * Throws AccessDenied when the browser sent a login automatically, and the bucket belongs neither
   * to that caller nor to the app, or its rule does not allow credentials.
   */
  requireOwner(bucket: Bucket | undefined, principal: Principal | undefined, host: Principal): void;
}

/**
 * Throws AccessDenied when a page of another site requests a change. JSON is accepted with any
 * Content-Type, because clients send none, and a form can send any text. So only this check
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
    'the bucket. If it is the same origin, the proxy must pass on the Host header.';
  throw new StorageError('AccessDenied', message);
}

function isFromAnotherSite({ headers, ownHost }: Sender): boolean {
  // Browsers that send this header identify the site, whatever proxies did to the host.
  const site = headers.get('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = headers.get('origin');
  if (origin === undefined) return false;
  const url = originSent(origin);
  // `null`, and anything that is not a URL, matches no origin.
  if (url === undefined || url.host === '') return true;
  // Without the default port of the protocol.
  return originSent(`${url.protocol}//${ownHost()}`)?.host !== url.host;
}

/** A rule for every origin does not cover logins that a browser sends automatically. */
const isAllowed = (
  rule: CorsRule | undefined,
  origin: string,
  login: Login,
  principal?: Principal,
): boolean =>
  rule !== undefined && !(isForEveryOrigin(rule, origin) && bringsLogin(login, principal));

const SENT_BY_ITSELF = /^(basic|digest|negotiate|ntlm)\b/i;

/**
 * Whether the browser may have sent a login automatically. The login of a known caller need not be
 * in a header: it can be a client certificate, an address, or something that a proxy adds. A token
 * or a signature is only sent by a script.
 */
function bringsLogin({ headers, isSigned }: Login, principal?: Principal): boolean {
  const authorization = headers.get('authorization');
  if (headers.has('cookie') || SENT_BY_ITSELF.test(authorization ?? '')) return true;
  return principal !== undefined && authorization === undefined && !isSigned;
}

const isOf = (bucket: Bucket, principal: Principal | undefined, host: Principal): boolean =>
  isOwner(bucket, principal) || isOwner(bucket, host);

/**
 * Whether a page on another origin may read responses that depend on its visitor's login. The owner
 * of a bucket sets its rules, and must not learn through a page who visits it.
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
    throw new StorageError(
      'AccessDenied',
      `${message} The app can allow the origin with crossSiteRequests.`,
    );
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
      const { rule } = await crossOrigin(store, bucket, { method, headers: sender.headers });
      if (isAllowed(rule, origin, sender, known)) return;
      const message = `This page needs the method ${method}, which the CORS rules of the bucket do not allow.`;
      throw new StorageError('AccessDenied', message);
    },
  };
}

const NOT_BY_NAME =
  'The CORS rule for this page allows every origin, so it does not cover logins that browsers send automatically.';
const NOT_OWN =
  'With a login that the browser sends automatically, a page on another origin may use only buckets ' +
  'of that user.';
const NO_SETTINGS =
  'A page on another origin may not change access, rules or other settings with a login that the ' +
  'browser sends automatically.';
