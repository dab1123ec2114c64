import { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { ContentStream } from '../http/message.js';

/**
 * Lets the data of an object be piped into an answer without the buffers of a stream in between: an
 * answer says when a chunk has left, so that its memory can be used for the next one. Whoever pipes it,
 * a framework or we, notices no difference. Into anything else, or where somebody else reads or listens,
 * it is piped as usual.
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

/** Middleware may count or hash what passes. A listener for data or `pause` makes it flow, or not. */
const hasReader = (body: Readable): boolean =>
  body.readableDidRead ||
  body.readableFlowing !== null ||
  body.listenerCount('data') > 0 ||
  body.listenerCount('readable') > 0;

const { write } = ServerResponse.prototype;

/**
 * Middleware may replace `write` by one that keeps chunks, or that never says that they have left: of
 * one answer, or as tools that measure do, of all.
 */
const isPlainAnswer = (to: unknown): to is ServerResponse =>
  to instanceof ServerResponse && to.write === write;
