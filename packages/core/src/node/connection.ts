import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isDestroyed, isSent, streamOf, watchStream } from './http2.js';

/** How many requests may wait on one connection. Each takes several kilobytes. */
const MAX_WAITING = 256;

/**
 * How much memory, in bytes, the header fields, URLs and small bodies of these requests may take,
 * about.
 */
const MAX_WAITING_BYTES = 1024 * 1024;

/** How many of these requests may have a body that is not small. */
const MAX_WAITING_BODIES = 4;

/** The size of a small body, in bytes. */
const SMALL_BODY = 1024;

/**
 * What a byte of a body may take. Until the body is read, Node keeps each of its chunks as a
 * separate buffer, even if it has a single byte.
 */
const BODY_BYTE = 100;

/** What Node keeps of a header field, in addition to its characters. */
const FIELD_BYTES = 100;

/**
 * Waits until the responses to earlier requests on this connection are being sent. Resolves to
 * false when the client disconnects before that. Closes a connection on which too many requests
 * wait, or too large ones, or too many bodies: otherwise the client could decide how much memory
 * they take.
 */
export function waitForTurn(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  // The app has responded already.
  if (res.writableEnded) return Promise.resolve(true);
  const { socket } = req;
  const queue = queueOf(socket);
  const isChunked = req.headers['transfer-encoding'] !== undefined;
  const length = Number(req.headers['content-length'] ?? 0);
  const isSmall = !isChunked && length <= SMALL_BODY;
  const bytes = bytesIn(req) + (isSmall ? length * BODY_BYTE : 0);
  const bodies = isSmall ? 0 : 1;
  const isTooMuch =
    queue.waiting.size >= MAX_WAITING ||
    queue.bytes + bytes > MAX_WAITING_BYTES ||
    queue.bodies + bodies > MAX_WAITING_BODIES ||
    // A client can make the chunks of such a body as small as it likes.
    (isChunked && queue.waiting.size > 0);
  if (isTooMuch) socket.destroy();
  if (socket.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (turn: boolean) => {
      queue.waiting.delete(left);
      queue.bytes -= bytes;
      queue.bodies -= bodies;
      res.off('socket', come);
      resolve(turn);
    };
    const come = () => end(true);
    const left = () => end(false);
    res.once('socket', come);
    queue.waiting.add(left);
    queue.bytes += bytes;
    queue.bodies += bodies;
  });
}

function bytesIn({ url, rawHeaders }: IncomingMessage): number {
  let bytes = (rawHeaders.length / 2) * FIELD_BYTES + (url?.length ?? 0);
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** The requests that wait on a connection. */
interface Queue {
  readonly waiting: Set<() => void>;
  bytes: number;
  bodies: number;
}

/** One listener serves all requests of a connection, because there may be thousands. */
const queues = new WeakMap<Socket, Queue>();

function queueOf(socket: Socket): Queue {
  const known = queues.get(socket);
  if (known !== undefined) return known;
  const queue: Queue = { waiting: new Set(), bytes: 0, bodies: 0 };
  queues.set(socket, queue);
  socket.once('close', () => {
    for (const left of queue.waiting) left();
  });
  return queue;
}

/**
 * Closes the connection of a response, or its HTTP/2 stream, when the client reads no byte of it for
 * `ms` milliseconds. In HTTP/1.1, uses Node's socket timeout, which also notices progress within one
 * long write and fires after `ms` to twice `ms`. A server also accepts connections that are not
 * sockets, which may lack it.
 */
export function cutWhenStalled(
  req: IncomingMessage,
  res: ServerResponse,
  ms: number | undefined,
): void {
  if (ms === undefined || typeof req.socket.setTimeout !== 'function') return;
  // By then, a small response has been sent. A timer would cost more than everything else about it.
  setImmediate(() => {
    if (isSent(res) || isDestroyed(res)) return;
    watch(req, res, ms);
  });
}

function watch(req: IncomingMessage, res: ServerResponse, ms: number): void {
  const stream = streamOf(req, res);
  if (stream !== undefined) {
    watchStream(stream, ms);
    return;
  }
  const { socket } = req;
  const before = socket.timeout ?? 0;
  res.setTimeout(ms, () => {
    const pending = socket.writableLength;
    // After a pause of the process, timers fire before Node notices what was read meanwhile.
    setImmediate(() => {
      if (res.writableFinished) return;
      // If there is nothing to send, the client is waiting for the server.
      const taken = pending === 0 || socket.writableLength < pending;
      if (taken) socket.setTimeout(ms);
      else socket.destroy();
    });
  });
  // This runs before Node's own listener, which sets how long an idle connection is kept.
  res.prependOnceListener('finish', () => socket.setTimeout(before));
}

/**
 * How much of an unwanted body is still read, and for how long, so that the client reads the
 * response.
 */
const LINGER_BYTES = 1024 * 1024;
const LINGER_MS = 2_000;

/** Whether a body is too long to be read to its end, or may be. The connection is then closed. */
export const isBeyondLinger = ({ headers }: IncomingMessage): boolean =>
  !(Number(headers['content-length']) <= LINGER_BYTES);

/**
 * Reads an unwanted body a little longer, so that the client can read the response: a client that
 * is disconnected while it sends may never see the response. Without the limit, a rejected upload
 * of 5 GB would be read completely. `cut` ends it then.
 */
export function linger(req: IncomingMessage, cut: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(cut, LINGER_MS);
    const over = () => {
      clearTimeout(timer);
      resolve();
    };
    let taken = 0;
    req.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (taken > LINGER_BYTES) req.pause();
    });
    req.once('end', over);
    req.once('close', over);
    req.resume();
  });
}

/**
 * Sends `100 Continue` only when the body is first read, so that an upload can be rejected before
 * its data is sent. Without this listener, Node sends it before any handler runs.
 *
 * ```ts
 * server.on('checkContinue', continueWhenRead);
 * ```
 */
export function continueWhenRead(this: Server, req: IncomingMessage, res: ServerResponse): void {
  const goOn = (): void => {
    req.off('newListener', onListener).off('resume', goOn);
    if (!res.headersSent) res.writeContinue();
  };
  const onListener = (event: string | symbol): void => {
    if (event === 'data' || event === 'readable') goOn();
  };
  // Express resumes a body that nobody wants, and waits for its end.
  req.on('newListener', onListener).on('resume', goOn);
  this.emit('request', req, res);
}
