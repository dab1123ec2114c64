import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { ContentStream } from '../http/message.js';

/**
 * Lets the data of an object be piped into a response without stream buffers in between: a response
 * reports when a chunk was sent, so that its memory can be reused for the next one. The caller of
 * `pipe` notices no difference. If the destination is not a response, or if something else reads or
 * listens, data is piped as usual.
 */
export function pipeDirectly(body: Readable): void {
  if (!(body instanceof ContentStream)) return;
  const pipe = body.pipe.bind(body);
  body.pipe = (to, options) => {
    body.pipe = pipe;
    if (hasReader(body) || !isPlainAnswer(to)) return pipe(to, options);
    const end = () => to.end();
    if (options?.end !== false) body.once('end', end);
    const send = (chunk: Uint8Array) =>
      new Promise<boolean>((resolve) => to.write(chunk, (error) => resolve(error == null)));
    body.sendTo(send, () => {
      body.off('end', end);
      pipe(to, options);
    });
    return to;
  };
}

/**
 * Whether something else reads the stream. Middleware may count or hash the data: a listener for
 * data starts the flow, and `pause` stops it.
 */
const hasReader = (body: Readable): boolean =>
  body.readableDidRead ||
  body.readableFlowing !== null ||
  body.listenerCount('data') > 0 ||
  body.listenerCount('readable') > 0;

const { write } = ServerResponse.prototype;
const { write: writeToSocket } = Socket.prototype;

/**
 * Whether a destination is a response with Node's own `write`, on a socket. Middleware may replace
 * `write` for one response, and monitoring tools for all responses, with a function that keeps
 * chunks or never reports that they were sent. So may any other stream that the app has passed to
 * its server as a connection.
 */
const isPlainAnswer = (to: unknown): to is ServerResponse =>
  to instanceof ServerResponse &&
  to.write === write &&
  to.socket instanceof Socket &&
  to.socket.write === writeToSocket;
