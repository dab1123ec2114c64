/* What an adapter for a framework imports. */
export { continueWhenRead } from './connection.js';
export type { RequestContext } from './incoming.js';
export { connect, handlerFor, type Serve, serve } from './serve.js';
export { whileTheyCome } from './stall.js';
