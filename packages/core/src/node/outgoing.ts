import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StorageResponse } from '../http/message.js';

/** Sends an answer. A body that fails cuts the connection, so that it never looks whole. */
export async function sendResponse(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: StorageResponse,
): Promise<void> {
  lingerOver(req, res);
  res.writeHead(status, lengthLast(merged(headers, res.getHeader('vary'))));
  if (!(body instanceof Readable)) {
    res.end(body);
    return;
  }
  try {
    await pipeline(body, res);
  } catch (error) {
    // The handler has reported what is not the client's; the connection is gone either way.
    res.destroy(error as Error);
  }
}

const NOT_ASCII = /[^\x20-\x7e]/;

/**
 * Where Node knows the length when it writes a Content-Disposition, it decodes that header from
 * UTF-8, and then cuts each character to its last byte: that could be a line break. Such a head
 * must be written before the body, and with its length behind it.
 */
export const needsOwnHead = ({ headers }: StorageResponse): boolean =>
  NOT_ASCII.test(headers['content-disposition'] ?? '');

function lengthLast(headers: StorageResponse['headers']): StorageResponse['headers'] {
  const { 'content-length': length } = headers;
  if (length === undefined || !NOT_ASCII.test(headers['content-disposition'] ?? '')) return headers;
  const { 'content-length': _, ...others } = headers;
  return { ...others, 'content-length': length };
}

/** The host may have said what its own answers vary by. */
export function merged(
  headers: StorageResponse['headers'],
  vary: number | string | readonly string[] | undefined,
): StorageResponse['headers'] {
  if (headers.vary === undefined || vary === undefined) return headers;
  const names = `${String(vary)}, ${headers.vary}`.split(',').map((name) => name.trim());
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  return { ...headers, vary: [...known.values()].join(', ') };
}

/** How much of an unwanted body is still taken, and for how long, so that the answer is read. */
const LINGER_BYTES = 1024 * 1024;
const LINGER_MS = 2_000;

/**
 * Ends a connection whose request was answered before its body had arrived, after a moment in
 * which the client can read the answer. Without it a refused upload of 5 GB would be taken in whole.
 */
export function lingerOver(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) return;
  res.once('finish', () => {
    if (req.complete || req.destroyed) return;
    const { socket } = req;
    const before = socket.bytesRead;
    const cut = () => socket.destroy();
    const timer = setTimeout(cut, LINGER_MS);
    const watch = () => {
      if (socket.bytesRead - before > LINGER_BYTES) cut();
    };
    req.on('data', watch);
    req.once('close', () => clearTimeout(timer));
    req.once('end', () => clearTimeout(timer));
    req.resume();
  });
}
