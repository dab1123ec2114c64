import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests may wait on one connection. Each holds several kilobytes. */
const MAX_WAITING = 256;

/**
 * Waits until the answers to the requests that were sent ahead on this connection are on their way.
 * Resolves to false when the client left before that. Ends a connection on which too many wait:
 * their sender would decide how much memory they take.
 */
export function itsTurn({ socket }: IncomingMessage, res: ServerResponse): Promise<boolean> {
  if (waitingFor(socket).size >= MAX_WAITING) socket.destroy();
  if (socket.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (turn: boolean) => {
      waiting.get(socket)?.delete(left);
      res.off('socket', come);
      resolve(turn);
    };
    const come = () => end(true);
    const left = () => end(false);
    res.once('socket', come);
    waitingFor(socket).add(left);
  });
}

/** Who waits on a connection. One listener serves them all: they may be thousands. */
const waiting = new WeakMap<Socket, Set<() => void>>();

function waitingFor(socket: Socket): Set<() => void> {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const those = new Set<() => void>();
  waiting.set(socket, those);
  socket.once('close', () => {
    for (const left of those) left();
  });
  return those;
}

/**
 * Ends the connection of an answer when the client takes no byte of it for `ms` milliseconds.
 * Node's own timeout of a socket, which also counts the bytes that were taken of one long write,
 * rings after `ms` to twice `ms`.
 */
export function cutWhenStalled(
  req: IncomingMessage,
  res: ServerResponse,
  ms: number | undefined,
): void {
  if (ms === undefined) return;
  // A small answer is gone by then. For it a timer would cost more than all the rest.
  setImmediate(() => {
    if (res.writableFinished || res.destroyed) return;
    watch(req, res, ms);
  });
}

function watch({ socket }: IncomingMessage, res: ServerResponse, ms: number): void {
  const before = socket.timeout ?? 0;
  res.setTimeout(ms, () => {
    const pending = socket.writableLength;
    // After a process stood still, its timers ring before it sees what was taken meanwhile.
    setImmediate(() => {
      if (res.writableFinished) return;
      // With nothing to take, the client waits for us.
      const taken = pending === 0 || socket.writableLength < pending;
      if (taken) socket.setTimeout(ms);
      else socket.destroy();
    });
  });
  // Ahead of Node's own listener, which sets for how long an idle connection is kept.
  res.prependOnceListener('finish', () => socket.setTimeout(before));
}

/** How much of an unwanted body is still taken, and for how long, so that the answer is read. */
const LINGER_BYTES = 1024 * 1024;
const LINGER_MS = 2_000;

/**
 * Waits for the rest of a body that nobody wants, for a moment in which the client can read the
 * answer: who is cut while it sends may never see it. Without an end to that a refused upload of
 * 5 GB would be taken in whole.
 */
export function linger(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => req.socket.destroy(), LINGER_MS);
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
 * Sends `100 Continue` only when somebody begins to read the body, so that an upload is refused
 * before its bytes are sent. By itself, Node sends it ahead of every handler.
 *
 * ```ts
 * server.on('checkContinue', continueWhenRead);
 * ```
 */
export function continueWhenRead(this: Server, req: IncomingMessage, res: ServerResponse): void {
  const onListener = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return;
    req.off('newListener', onListener);
    if (!res.headersSent) res.writeContinue();
  };
  req.on('newListener', onListener);
  this.emit('request', req, res);
}
