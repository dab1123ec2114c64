import type { Store } from '../engine/store.js';
import { checkOptions } from '../options.js';
import { guarded } from '../reporting.js';
import type { Dialect } from './dialect.js';
import { dispatcher } from './dispatch.js';
import { Exchange } from './exchange.js';
import { HANDLER_OPTIONS, type HandlerOptions } from './handler-options.js';
import type { StorageRequest, StorageResponse } from './message.js';
import type { Service } from './service.js';
import { readStallTimeout } from './stall.js';

/** Undefined: the request is not for the storage, and the host goes on with its next handler. */
export type Handler = (request: StorageRequest) => Promise<StorageResponse | undefined>;

/** Answers HTTP requests in one dialect. */
export function createHandler(
  store: Store,
  speak: (options: HandlerOptions) => Dialect,
  options: HandlerOptions = {},
  fallback?: HandlerOptions['onError'],
): Handler {
  checkOptions('storage.handler()', options, HANDLER_OPTIONS);
  const dialect = speak(options);
  const service: Service = {
    store,
    dialect,
    dispatch: dispatcher(dialect.operations),
    place: options,
    authorize: options.authorize,
    onError: guarded(options.onError ?? fallback ?? (() => {})),
    trustedContent: options.trustedContent ?? false,
    crossSiteRequests: options.crossSiteRequests ?? 'refuse',
    patience: options.patience ?? { after: 10_000, every: 5_000 },
    stallTimeout: readStallTimeout(options.stallTimeout ?? 60_000),
    jsonTimeout: readStallTimeout(options.jsonTimeout ?? 60_000),
  };
  return (request) => new Exchange(service, request).answer();
}
