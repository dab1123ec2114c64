import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

/**
 * Whether a part of the body is still missing. Requests that a program makes up, as `inject()` of
 * Fastify does, do not say whether they are complete.
 */
export const isIncomplete = (req: IncomingMessage): boolean =>
  req.complete === false && !endsWithHeaders(req);

/** In HTTP/2, a request is complete for Node only when it was read, even if it has no body. */
const endsWithHeaders = (req: IncomingMessage): boolean =>
  (req as Partial<Pick<Http2ServerRequest, 'stream'>>).stream?.endAfterHeaders === true;
