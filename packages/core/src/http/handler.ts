import type { Store } from '../engine/store.js';
import { checkOptions } from '../options.js';
import { guarded } from '../reporting.js';
import type { Dialect } from './dialect.js';
import { dispatcher } from './dispatch.js';
import { Exchange } from './exchange.js';
import type { HandlerContext } from './handler-context.js';
import { HANDLER_OPTIONS, type HandlerOptions } from './handler-options.js';
import { type Presign, presigner } from './link.js';
import type { StorageRequest, StorageResponse } from './message.js';
import type { RequestObservers } from './request-observers.js';

/** Handles the HTTP requests of one mount. */
export interface Handler {
  /**
   * Resolves to `undefined` if the request is not for the storage: the app then continues with its
   * next handler.
   */
  (request: StorageRequest): Promise<StorageResponse | undefined>;
  /** Creates a link to a bucket or object of this mount. */
  readonly presign: Presign;
}

/** Handles HTTP requests in one dialect. */
export function createHandler(
  store: Store,
  createDialect: (options: HandlerOptions) => Dialect,
  observers: RequestObservers,
  options: HandlerOptions = {},
  fallback?: HandlerOptions['onError'],
): Handler {
  checkOptions('storage.handler()', options, HANDLER_OPTIONS);
  const dialect = options.dialect ?? createDialect(options);
  const stall = limitOf(options.stallTimeout ?? 60_000);
  const context: HandlerContext = {
    store,
    dialect,
    dispatch: dispatcher(dialect.operations),
    place: options,
    authorize: options.authorize,
    onError: guarded(options.onError ?? fallback ?? (() => {})),
    observers,
    loginFirst: options.loginFirst ?? false,
    trustedContent: options.trustedContent ?? false,
    crossSiteRequests: options.crossSiteRequests ?? 'refuse',
    patience: options.patience ?? { after: 10_000, every: 5_000 },
    stallTimeout: stall,
    bodyTimes: { stall },
    structuredTimes: { stall, total: limitOf(options.jsonTimeout ?? 60_000) },
  };
  const handle = (request: StorageRequest) => new Exchange(context, request).answer();
  return Object.assign(handle, { presign: presigner(dialect, options, store.now) });
}

/** The longest delay of a Node timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** A limit in milliseconds; `undefined` for none. */
const limitOf = (ms: number): number | undefined => (ms === 0 || ms > LONGEST_MS ? undefined : ms);
