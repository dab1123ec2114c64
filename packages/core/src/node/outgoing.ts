import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:http2';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import vary from 'vary';
import type { StorageResponse } from '../http/message.js';
import { isBeyondLinger, linger } from './connection.js';
import { streamOf } from './http2.js';
import { isIncomplete } from './incomplete.js';

/**
 * Sends a response. If its body fails, the connection is closed, so that the body never looks
 * complete.
 */
export async function sendResponse(
  req: IncomingMessage,
  res: ServerResponse,
  response: StorageResponse,
): Promise<void> {
  const { status, headers, body } = response;
  const isBeforeBody = isEarly(req);
  // Otherwise a proxy could send its next request on this connection, perhaps for another user.
  if (isBeforeBody && isBeyondLinger(req)) res.shouldKeepAlive = false;
  res.writeHead(status, lengthLast(headers));
  if (isBeforeBody) return sendEarly(req, res, body);
  if (!(body instanceof Readable)) {
    res.end(body);
    return;
  }
  try {
    await pipeline(body, res);
  } catch {
    // The handler has reported any failure of the server; the connection is closed either way.
    res.destroy();
  }
}

/** Whether a response is sent before the body of its request has arrived. */
const isEarly = (req: IncomingMessage): boolean => isIncomplete(req) && !req.destroyed;

/** When a response ends, Node closes the connection or drains it without a limit. */
async function sendEarly(
  req: IncomingMessage,
  res: ServerResponse,
  body: StorageResponse['body'],
): Promise<void> {
  const stream = streamOf(req, res);
  try {
    if (body instanceof Readable) {
      // Otherwise chunks of a single byte would fill the memory while the client does not read.
      req.resume();
      await pipeline(body, res, { end: false });
    } else if (body.length > 0) res.write(body);
    else res.flushHeaders();
    if (stream === undefined) {
      if (isEarly(req)) await linger(req, () => req.socket.destroy());
      res.end();
      return;
    }
    res.end();
    // Asks the client to stop sending (RFC 9113 section 8.1). Some clients drop what they have not
    // read by then.
    if (isEarly(req)) await linger(req, () => stream.close(constants.NGHTTP2_NO_ERROR));
  } catch {
    res.destroy();
  }
}

/**
 * Responses that a framework must not send itself: those sent before the body of their request has
 * arrived, and those with a non-ASCII Content-Disposition.
 */
export const bypassesFramework = (req: IncomingMessage, response: StorageResponse): boolean =>
  isEarly(req) || NOT_ASCII.test(response.headers['content-disposition'] ?? '');

const NOT_ASCII = /[^\x20-\x7e]/;

/**
 * If Node knows the length when it writes a Content-Disposition, it decodes that header from UTF-8
 * and then truncates each character to its last byte, which could be a line break. So such headers
 * are written before the body, with the length after the Content-Disposition.
 */
function lengthLast(headers: StorageResponse['headers']): StorageResponse['headers'] {
  const { 'content-length': length } = headers;
  if (length === undefined || !NOT_ASCII.test(headers['content-disposition'] ?? '')) return headers;
  const { 'content-length': _, ...others } = headers;
  return { ...others, 'content-length': length };
}

/** The app may have set its own Vary header. */
export function merged(
  headers: StorageResponse['headers'],
  hosts: number | string | readonly string[] | undefined,
): StorageResponse['headers'] {
  if (headers.vary === undefined || hosts === undefined) return headers;
  return { ...headers, vary: vary.append(String(hosts), headers.vary) };
}
