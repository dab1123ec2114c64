import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  constants,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Stream,
} from 'node:http2';
import { Readable } from 'node:stream';

/** The stream of a response in HTTP/2; `undefined` in HTTP/1.1. */
export const streamOf = (
  req: IncomingMessage | undefined,
  res: ServerResponse,
): Http2Stream | undefined =>
  req !== undefined && isHttp2(req) ? (res as unknown as Http2ServerResponse).stream : undefined;

/**
 * Ends a stream when the client takes nothing of it for `ms` to twice `ms` milliseconds. Node's own
 * timer of a stream would also count the progress of other streams on the connection.
 */
export function watchStream(stream: Http2Stream, ms: number): void {
  let drained = 0;
  let before = { drained, pending: 0 };
  stream.on('drain', () => drained++);
  const timer = setInterval(() => {
    const now = { drained, pending: stream.writableLength };
    const isTaken = now.drained !== before.drained || now.pending !== before.pending;
    // If there is nothing to send, the client is waiting for the server.
    if (isTaken || now.pending === 0) before = now;
    else resetStream(stream);
  }, ms);
  stream.once('close', () => clearInterval(timer));
}

/**
 * What is destroyed and closes with a response: in HTTP/2 its stream, because a response to HEAD
 * does not report that the client has cancelled it.
 */
export const endOf = (res: ServerResponse): ServerResponse | Http2Stream =>
  streamOf(res.req, res) ?? res;

/** Whether the client has gone, or the response was ended. */
export const isDestroyed = (res: ServerResponse): boolean => endOf(res).destroyed;

/** Whether a response was sent completely. In HTTP/2, a cancelled one counts as finished, too. */
export function isSent(res: ServerResponse): boolean {
  if (!res.writableFinished) return false;
  const stream = streamOf(res.req, res);
  return stream === undefined || (res.writableEnded && !stream.rstCode);
}

/** How much is written to a stream at a time: its progress shows only when a write has ended. */
const PIECE_BYTES = 16 * 1024;

/**
 * The body of a response as it is sent in HTTP/2: in small pieces, and so that the client notices a
 * failure.
 */
export function forStream(body: Readable, stream: Http2Stream): Readable {
  const sent = Readable.from(inPieces(body), { objectMode: false });
  sent.once('error', () => resetStream(stream));
  // A generator that has not begun would not do it, as when the app replaces the response.
  sent.once('close', () => body.destroy());
  return sent;
}

async function* inPieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
  }
}

/** Without a code, `destroy()` means NO_ERROR, which some clients take for the end of the body. */
function resetStream(stream: Http2Stream): void {
  stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  stream.destroy();
}

/**
 * The raw headers of a request, in HTTP/2 as HTTP/1.1 has them: the host is in `Host` instead of
 * `:authority`, and the cookies, which may be in several fields, are in one (RFC 9113 sections 8.3.1
 * and 8.2.3). A `Host` with another value is kept, so that there are two, which is rejected.
 */
export function plainHeaders(raw: readonly string[]): readonly string[] {
  // Pseudo-headers come first, and exist only in HTTP/2.
  if (!isPseudo(raw[0])) return raw;
  const headers: string[] = [];
  const cookies: string[] = [];
  let host: string | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    const value = raw[at + 1] as string;
    if (name === 'cookie') cookies.push(value);
    else if (name === ':authority') {
      host = value;
      headers.push('host', value);
    } else if (!isPseudo(name) && !(name === 'host' && value === host)) headers.push(name, value);
  }
  if (cookies.length > 0) headers.push('cookie', cookies.join('; '));
  return headers;
}

/**
 * The raw headers of a request. Wrappers for serverless functions make requests that have only
 * `headers`, or whose values are numbers.
 */
export function rawHeadersOf({ rawHeaders, headers }: IncomingMessage): readonly string[] {
  if (rawHeaders.length === 0) {
    return Object.entries(headers).flatMap(([name, value = []]) =>
      [value].flat().flatMap((one) => [name, String(one)]),
    );
  }
  return rawHeaders.every((text) => typeof text === 'string') ? rawHeaders : rawHeaders.map(String);
}

/** Whether a body follows the headers in HTTP/2, even if none of them announces it. */
export const hasOpenStream = (req: object): boolean =>
  (req as Partial<Pick<Http2ServerRequest, 'stream'>>).stream?.endAfterHeaders === false;

const isPseudo = (name: string | undefined): boolean => name?.startsWith(':') === true;

const isHttp2 = ({ httpVersionMajor }: IncomingMessage): boolean => httpVersionMajor === 2;
