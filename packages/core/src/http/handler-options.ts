import { CREDENTIALS } from '../contracts/credentials.js';
import type { Authorize } from '../contracts/principal.js';
import type { SignatureScheme } from '../contracts/signatures.js';
import { type KnownOptions, kinds } from '../options.js';
import { CROSS_SITE_REQUESTS, type CrossSiteRequests } from './cross-site.js';
import type { Dialect } from './dialect.js';
import { HEADER_PREFIX } from './headers.js';
import { PLACE_OPTIONS, type PlaceOptions } from './place-options.js';
import { PATIENCE, type Patience } from './slow-answer.js';

/** The options of a handler for HTTP requests. Middleware takes these as well. */
export interface HandlerOptions extends PlaceOptions {
  /**
   * Replaces or restricts the default access rule. If it throws, the request fails with an
   * InternalError.
   */
  readonly authorize?: Authorize | undefined;
  /**
   * Called with every failure that is not the client's fault, including its cause. Default: the
   * `onError` of the storage.
   */
  readonly onError?: ((error: unknown, context: ErrorContext) => void) | undefined;
  /** The wire interface, such as `s3()`. Default: the one with JSON bodies and `x-svc-` headers. */
  readonly dialect?: Dialect | undefined;
  /** The prefix of the interface's own headers. Default `x-svc-`. Only without `dialect`. */
  readonly headerPrefix?: string | undefined;
  /**
   * Verifies signed requests: `v1Signatures()` of `@bucketware/signature`. Default: callers are
   * identified only by your own login. Only without `dialect`.
   */
  readonly signatures?: SignatureScheme | undefined;
  /**
   * Whether a user of your own login is the caller even of a request that another caller has
   * signed. Default false: the signer of a request is its caller, and your login is called only for
   * unsigned requests.
   */
  readonly loginFirst?: boolean | undefined;
  /**
   * Whether objects may run scripts in your app's origin. Default false: a
   * `Content-Security-Policy` sandboxes them, and pages cannot use them as a script, worker or
   * style.
   */
  readonly trustedContent?: boolean | undefined;
  /** Whether pages of other sites may make changes. Default `refuse`. */
  readonly crossSiteRequests?: CrossSiteRequests | undefined;
  /**
   * When to start the response of a long copy, and how often to send a space after that. Default:
   * after 10 s, then every 5 s.
   */
  readonly patience?: Patience | undefined;
  /**
   * How long an upload or download may stall, in milliseconds. An upload that sends no byte for
   * this long fails with RequestTimeout (408); the connection of a download whose client reads no
   * byte for this long is closed. Default 60 s; 0 means no limit.
   */
  readonly stallTimeout?: number | undefined;
  /**
   * How long a JSON or XML body, or the fields of a form, may take to arrive completely, in
   * milliseconds. After that, the request fails with RequestTimeout (408). Default 60 s; 0 means no
   * limit.
   */
  readonly jsonTimeout?: number | undefined;
}

/** The allowed options of a handler. */
export const HANDLER_OPTIONS: KnownOptions<HandlerOptions> = {
  ...PLACE_OPTIONS,
  authorize: kinds.aFunction,
  onError: kinds.aFunction,
  dialect: kinds.having(
    'a dialect, such as s3()',
    ...['readHeaders', 'pathOf', 'requireUnderstood', 'identify', 'renderError', 'finish'],
  ),
  headerPrefix: HEADER_PREFIX,
  signatures: { ...kinds.aFunction, is: 'the result of v1Signatures()' },
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
      'a function that returns the caller: { tenantCode, tenantId, userId, userName } from your ' +
      'own login, or undefined for an anonymous caller. Use principal: () => undefined when all ' +
      'callers are anonymous',
    fits: kinds.aFunction.fits,
  }),
} as const;

/** The request during which a failure occurred. */
export interface ErrorContext {
  /** The id of the request, as in the response. */
  readonly requestId: string;
  readonly method: string;
  /** `undefined` if the operation of the request is not known yet. */
  readonly operation: string | undefined;
}
