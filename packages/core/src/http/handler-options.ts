import { CREDENTIALS } from '../contracts/credentials.js';
import type { Authorize } from '../contracts/principal.js';
import type { SignatureScheme } from '../contracts/signatures.js';
import { type KnownOptions, kinds } from '../options.js';
import { CROSS_SITE_REQUESTS, type CrossSiteRequests } from './cross-site.js';
import type { Dialect } from './dialect.js';
import { HEADER_PREFIX } from './headers.js';
import { PLACE_OPTIONS, type PlaceOptions } from './place-options.js';
import { PATIENCE, type Patience } from './slow-answer.js';

export interface HandlerOptions extends PlaceOptions {
  /**
   * Replaces or restricts the default rule. If it throws, the request is refused with an
   * InternalError.
   */
  readonly authorize?: Authorize | undefined;
  /** Called with every failure that is not the client's fault, with its cause. */
  readonly onError?: ((error: unknown, context: ErrorContext) => void) | undefined;
  /** The wire interface. Default: the one with JSON bodies and `x-svc-` headers. */
  readonly dialect?: Dialect | undefined;
  /** The prefix of the interface's own headers. Default `x-svc-`. Only without `dialect`. */
  readonly headerPrefix?: string | undefined;
  /**
   * Verifies signed requests: `v1Signatures()` of `@bucketware/signature`. Default: only your own
   * login identifies callers. Only without `dialect`.
   */
  readonly signatures?: SignatureScheme | undefined;
  /**
   * Whether a user of your own login is the caller of a request that somebody else has signed.
   * Default false: whoever signed a request is its caller, and your login is asked only about
   * requests without a signature.
   */
  readonly loginFirst?: boolean | undefined;
  /**
   * Objects may run scripts in the host's origin. Default false: they have a
   * `Content-Security-Policy` that sandboxes them, and a page cannot use them as a script, worker
   * or style.
   */
  readonly trustedContent?: boolean | undefined;
  /** Whether pages of other sites may change what is stored. Default `refuse`. */
  readonly crossSiteRequests?: CrossSiteRequests | undefined;
  /** When to start the response of a long copy. Default: after 10 s, then a space every 5 s. */
  readonly patience?: Patience | undefined;
  /**
   * Milliseconds. If an upload sends no byte for this long, it is refused with RequestTimeout
   * (408); if a download takes no byte, its connection is closed. Default 60 s; 0: never.
   */
  readonly stallTimeout?: number | undefined;
  /**
   * Milliseconds within which a JSON or XML body, or the fields of a form, must arrive completely,
   * however steadily they arrive. Otherwise the request is refused with RequestTimeout (408). Default 60 s; 0: never.
   */
  readonly jsonTimeout?: number | undefined;
}

/** The allowed options of a handler. */
export const HANDLER_OPTIONS: KnownOptions<HandlerOptions> = {
  ...PLACE_OPTIONS,
  authorize: kinds.aFunction,
  onError: kinds.aFunction,
  dialect: { ...kinds.anObject, is: 'a dialect, such as s3() makes' },
  headerPrefix: HEADER_PREFIX,
  signatures: { ...kinds.aFunction, is: 'what v1Signatures() makes' },
  loginFirst: kinds.aBoolean,
  trustedContent: kinds.aBoolean,
  crossSiteRequests: CROSS_SITE_REQUESTS,
  patience: PATIENCE,
  stallTimeout: kinds.milliseconds,
  jsonTimeout: kinds.milliseconds,
};

const { signatures: _, ...COMMON } = HANDLER_OPTIONS;

/** The allowed options of a middleware. */
export const MIDDLEWARE_OPTIONS = {
  ...COMMON,
  credentials: CREDENTIALS,
  principal: kinds.required({
    is:
      'a function that says who is calling: { tenantCode, tenantId, userId, userName } from your ' +
      'own login, or undefined for an anonymous caller. Write principal: () => undefined when all ' +
      'callers are anonymous',
    fits: kinds.aFunction.fits,
  }),
} as const;

export interface ErrorContext {
  readonly requestId: string;
  readonly method: string;
  /** Undefined when the operation of the request is not known yet. */
  readonly operation: string | undefined;
}
