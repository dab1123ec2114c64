import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import vary from 'vary';
import type { StorageResponse } from '../http/message.js';
import { linger } from './connection.js';

/** Sends an answer. A body that fails cuts the connection, so that it never looks whole. */
export async function sendResponse(
  req: IncomingMessage,
  res: ServerResponse,
  response: StorageResponse,
): Promise<void> {
  const { status, headers, body } = response;
  res.writeHead(status, lengthLast(headers));
  if (isEarly(req)) return sendEarly(req, res, body);
  if (!(body instanceof Readable)) {
    res.end(body);
    return;
  }
  try {
    await pipeline(body, res);
  } catch {
    // The handler has reported what is not the client's; the connection is gone either way.
    res.destroy();
  }
}

/** Whether an answer goes ahead of the body of its request. */
const isEarly = (req: IncomingMessage): boolean => !req.complete && !req.destroyed;

/** Node ends a connection, or drains it without a bound, as soon as the answer ends. */
async function sendEarly(
  req: IncomingMessage,
  res: ServerResponse,
  body: StorageResponse['body'],
): Promise<void> {
  try {
    if (body instanceof Readable) await pipeline(body, res, { end: false });
    else if (body.length > 0) res.write(body);
    else res.flushHeaders();
    if (isEarly(req)) await linger(req);
    res.end();
  } catch {
    res.destroy();
  }
}

/**
 * Answers that a framework must not send itself: those that go ahead of the body of their request,
 * and those with a Content-Disposition that is not ASCII.
 */
export const bypassesFramework = (req: IncomingMessage, response: StorageResponse): boolean =>
  isEarly(req) || NOT_ASCII.test(response.headers['content-disposition'] ?? '');

const NOT_ASCII = /[^\x20-\x7e]/;

/**
 * Where Node knows the length when it writes a Content-Disposition, it decodes that header from
 * UTF-8, and then cuts each character to its last byte: that could be a line break. Such a head
 * must be written before the body, and with its length behind it.
 */
function lengthLast(headers: StorageResponse['headers']): StorageResponse['headers'] {
  const { 'content-length': length } = headers;
  if (length === undefined || !NOT_ASCII.test(headers['content-disposition'] ?? '')) return headers;
  const { 'content-length': _, ...others } = headers;
  return { ...others, 'content-length': length };
}

/** The host may have said what its own answers vary by. */
export function merged(
  headers: StorageResponse['headers'],
  hosts: number | string | readonly string[] | undefined,
): StorageResponse['headers'] {
  if (headers.vary === undefined || hosts === undefined) return headers;
  return { ...headers, vary: vary.append(String(hosts), headers.vary) };
}
