import type { Authorize } from '../contracts/principal.js';
import type { Store } from '../engine/store.js';
import type { CrossSiteRequests } from './cross-site.js';
import type { Dialect } from './dialect.js';
import type { Dispatch } from './dispatch.js';
import type { ErrorContext } from './handler-options.js';
import type { BodyTimes } from './message.js';
import type { PlaceOptions } from './place-options.js';
import type { RequestObservers } from './request-observers.js';
import type { Patience } from './slow-answer.js';

/** What all requests of a handler share. */
export interface HandlerContext {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly dispatch: Dispatch;
  readonly place: PlaceOptions;
  readonly authorize: Authorize | undefined;
  readonly onError: (error: unknown, context: ErrorContext) => void;
  readonly observers: RequestObservers;
  readonly loginFirst: boolean;
  readonly trustedContent: boolean;
  readonly crossSiteRequests: CrossSiteRequests;
  readonly patience: Patience;
  /** After how many milliseconds a stalled download is disconnected; `undefined` for never. */
  readonly stallTimeout: number | undefined;
  /** The time limits for raw bodies, and for parsed bodies. */
  readonly bodyTimes: BodyTimes;
  readonly structuredTimes: BodyTimes;
}
