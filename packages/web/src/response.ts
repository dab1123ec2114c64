import { Readable } from 'node:stream';
import type { Delivery, StorageResponse } from '@bucketware/core';
import type { RawExchange } from './request.js';

/** Statuses of responses without a body. */
const EMPTY = new Set([204, 205, 304]);

/** Converts a response of the storage to a `Response`. */
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
  // The runtime does not report when it has sent a response.
  delivery?.over(Buffer.byteLength(body), !gone.aborted);
  if (EMPTY.has(status) || body.length === 0) return null;
  // A Response adds its own Content-Type to text.
  return typeof body === 'string' ? new TextEncoder().encode(body) : own(body);
}

/** A Response does not accept views of memory that may be shared with other threads. */
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);

/**
 * A stream that reads a chunk when the runtime requests one. If the body fails, the stream fails,
 * so that the runtime closes the connection and the response never looks complete. If nothing is
 * requested for `stall` milliseconds, the client has stalled or the runtime has dropped the
 * response.
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
  // An error that destroys the body before it is read has no other listener.
  body.on('error', () => {});
  gone.addEventListener('abort', leave);
  const start = (controller: ReadableStreamDefaultController) => {
    if (gone.aborted) leave();
    else if (stall !== undefined) timer = setTimeout(() => ring(controller), stall).unref();
  };
  const ring = (controller: ReadableStreamDefaultController) => {
    const before = reads;
    // After a pause of the process, timers fire before it notices what was read meanwhile.
    setImmediate(() => {
      // The time that the disk takes does not count.
      if (reading || reads !== before) return;
      controller.error(new Error(`The client read nothing for ${stall} milliseconds.`));
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
 * The values of headers are bytes in UTF-8. Node encodes them once more if they are flushed before
 * the body, as Hono does for streams. They are then sent with the first chunk instead.
 */
export function sendHeadersWithBody(
  outgoing: RawExchange['outgoing'],
  { headers, body }: StorageResponse,
): void {
  if (!(body instanceof Readable)) return;
  if (Object.values(headers).some((value) => NOT_ASCII.test(value))) {
    outgoing.flushHeaders = () => {};
  }
}

const NOT_ASCII = /[^\x20-\x7e]/;

/**
 * Node decodes a Content-Disposition that follows a Content-Length from UTF-8, and then truncates
 * each character to its last byte, which could be a line break. Servers on Node write headers in
 * this order.
 */
function lengthLast(headers: StorageResponse['headers']): Record<string, string> {
  const { 'content-length': length, ...others } = headers;
  return length === undefined ? others : { ...others, 'content-length': length };
}
