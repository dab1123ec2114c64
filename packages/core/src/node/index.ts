/* The exports for adapters to frameworks. */
export { clientGone } from '../errors.js';
export { originSent } from '../http/sent-url.js';
export { isMountExact, ONE_READING } from '../http/target.js';
export { continueWhenRead, waitForTurn } from './connection.js';
export { hasOpenStream, plainHeaders } from './http2.js';
export { holdBack, type RequestContext } from './incoming.js';
export { keepProtections } from './protections.js';
export { connect, handlerFor, type Serve, serve } from './serve.js';
export { withinTimes } from './stall.js';
