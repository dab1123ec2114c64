import type { Authorize } from '../contracts/principal.js';
import { type KnownOptions, kinds } from '../options.js';
import { CROSS_SITE_REQUESTS, type CrossSiteRequests } from './cross-site.js';
import type { Dialect } from './dialect.js';
import { HEADER_PREFIX } from './headers.js';
import { PATIENCE, type Patience } from './slow-answer.js';
import { PLACE_OPTIONS, type PlaceOptions } from './target.js';

export interface HandlerOptions extends PlaceOptions {
  /** Replaces or tightens the default rule. Throwing refuses the request with an InternalError. */
  readonly authorize?: Authorize | undefined;
  /** Told about every failure that is not the client's, with its cause. */
  readonly onError?: ((error: unknown, context: ErrorContext) => void) | undefined;
  /** The wire interface. Default: that of JSON bodies and `x-svc-` headers. */
  readonly dialect?: Dialect | undefined;
  /** How the interface's own headers start. Default `x-svc-`. Only without `dialect`. */
  readonly headerPrefix?: string | undefined;
  /**
   * Objects may run scripts in the host's origin. Default false: they are answered with a
   * `Content-Security-Policy` that sandboxes them, and not at all to a page that wants to use them
   * as a script, worker or style.
   */
  readonly trustedContent?: boolean | undefined;
  /** Whether pages of other sites may change what is stored. Default `refuse`. */
  readonly crossSiteRequests?: CrossSiteRequests | undefined;
  /** When the answer of a long copy is begun. Default after 10 s, then a blank every 5 s. */
  readonly patience?: Patience | undefined;
  /**
   * Milliseconds. An upload of which no byte came for so long is refused with RequestTimeout (408),
   * and a download of which no byte was taken is cut. Default 60 s; 0: never.
   */
  readonly stallTimeout?: number | undefined;
  /**
   * Milliseconds within which a JSON body must be there, however steadily it comes. One that is not
   * is refused with RequestTimeout (408). Default 60 s; 0: never.
   */
  readonly jsonTimeout?: number | undefined;
}

/** What the options of a handler may be. */
export const HANDLER_OPTIONS: KnownOptions<HandlerOptions> = {
  ...PLACE_OPTIONS,
  authorize: kinds.aFunction,
  onError: kinds.aFunction,
  dialect: { ...kinds.anObject, is: 'a dialect, such as s3() makes' },
  headerPrefix: HEADER_PREFIX,
  trustedContent: kinds.aBoolean,
  crossSiteRequests: CROSS_SITE_REQUESTS,
  patience: PATIENCE,
  stallTimeout: kinds.milliseconds,
  jsonTimeout: kinds.milliseconds,
};

/** What the options of a middleware may be. */
export const MIDDLEWARE_OPTIONS = {
  ...HANDLER_OPTIONS,
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
  /** Undefined when the request was not understood so far. */
  readonly operation: string | undefined;
}
