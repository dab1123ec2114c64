/* What an adapter for a framework on top of node:http imports. */
export { continueWhenRead } from './connection.js';
export type { RequestContext } from './incoming.js';
export { connect, type Serve, serve } from './serve.js';
