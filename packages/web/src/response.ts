import { Readable } from 'node:stream';
import type { Delivery, StorageResponse } from '@bucketware/core';

/** Statuses of responses without a body. */
const EMPTY = new Set([204, 205, 304]);

/** What the storage answers, as a `Response`. */
export function toResponse(
  response: StorageResponse,
  gone: AbortSignal,
  delivery: Delivery | undefined,
): Response {
  const { status, headers } = response;
  return new Response(bodyOf(response, gone, delivery), { status, headers: lengthLast(headers) });
}

function bodyOf(
  { status, body, stallTimeout }: StorageResponse,
  gone: AbortSignal,
  delivery: Delivery | undefined,
) {
  if (body instanceof Readable) return toWebStream(body, stallTimeout, gone, delivery);
  // The runtime does not say when it has sent a response.
  delivery?.over(Buffer.byteLength(body), !gone.aborted);
  if (EMPTY.has(status) || body.length === 0) return null;
  // A Response gives text a Content-Type of its own.
  return typeof body === 'string' ? new TextEncoder().encode(body) : own(body);
}

/** A view of memory that other threads may share is refused by a Response. */
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);

/**
 * A stream that reads a chunk when the runtime asks for one. A body that fails fails the stream, so
 * that the runtime cuts the connection and the response never looks complete. When nobody asks for
 * `stall` milliseconds, the client has stalled, or the runtime has dropped the response.
 */
function toWebStream(
  body: Readable,
  stall: number | undefined,
  gone: AbortSignal,
  delivery: Delivery | undefined,
): ReadableStream {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  let reading = false;
  let reads = 0;
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const over = (complete: boolean) => {
    clearTimeout(timer);
    gone.removeEventListener('abort', leave);
    delivery?.over(bytes, complete);
  };
  const leave = () => {
    over(false);
    body.destroy();
  };
  // What destroys the body before it is read has nobody who hears of it.
  body.on('error', () => {});
  gone.addEventListener('abort', leave);
  const start = (controller: ReadableStreamDefaultController) => {
    if (gone.aborted) leave();
    else if (stall !== undefined) timer = setTimeout(() => ring(controller), stall).unref();
  };
  const ring = (controller: ReadableStreamDefaultController) => {
    const before = reads;
    // After a process stood still, its timers ring before it sees what was taken meanwhile.
    setImmediate(() => {
      // The time that the disk takes is not the client's.
      if (reading || reads !== before) return;
      controller.error(new Error(`The client took nothing for ${stall} milliseconds.`));
      leave();
    });
  };
  const pull = async (controller: ReadableStreamDefaultController) => {
    reading = true;
    reads++;
    try {
      const { done, value } = await chunks.next();
      if (done) {
        over(true);
        controller.close();
        return;
      }
      bytes += value.length;
      controller.enqueue(value);
      timer?.refresh();
    } catch (error) {
      over(false);
      controller.error(error);
    } finally {
      reading = false;
    }
  };
  return new ReadableStream<Uint8Array>({ start, pull, cancel: leave }, { highWaterMark: 0 });
}

/**
 * Node decodes a Content-Disposition that follows a Content-Length from UTF-8, and then cuts each
 * character to its last byte: that could be a line break. Hosts on Node write headers in this order.
 */
function lengthLast(headers: StorageResponse['headers']): Record<string, string> {
  const { 'content-length': length, ...others } = headers;
  return length === undefined ? others : { ...others, 'content-length': length };
}
