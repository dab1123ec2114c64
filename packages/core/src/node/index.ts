/* The exports for adapters to frameworks. */
export { continueWhenRead } from './connection.js';
export { holdBack, type RequestContext } from './incoming.js';
export { connect, handlerFor, type Serve, serve } from './serve.js';
export { whileTheyCome } from './stall.js';
