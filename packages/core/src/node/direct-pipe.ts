import { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { ContentStream } from '../http/message.js';

/**
 * Lets the data of an object be piped into an answer without the buffers of a stream in between: an
 * answer says when a chunk has left, so that its memory can be used for the next one. Whoever pipes it,
 * a framework or we, notices no difference. Into anything else it is piped as usual.
 */
export function pipeDirectly(body: Readable): void {
  if (!(body instanceof ContentStream)) return;
  const pipe = body.pipe.bind(body);
  body.pipe = (to, options) => {
    if (body.readableDidRead || !isPlainAnswer(to)) return pipe(to, options);
    if (options?.end !== false) body.once('end', () => to.end());
    body.sendTo(
      (chunk) => new Promise((resolve) => to.write(chunk, (error) => resolve(error == null))),
    );
    return to;
  };
}

/** Middleware may replace `write` by one that keeps chunks, or that never says that they have left. */
const isPlainAnswer = (to: unknown): to is ServerResponse =>
  to instanceof ServerResponse && to.write === ServerResponse.prototype.write;
