import { ReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { types } from 'node:util';
import type { Body } from '../engine/content/receive.js';
import { StorageError } from '../errors.js';
import { bytesOf, type Chunk, piecesOf } from './bytes-in-memory.js';
import { isForeignStream, untilEnd, wasForeignRead } from './foreign-stream.js';
import { chunksOfWeb, untilAborted } from './until-aborted.js';

/**
 * A body as a program may give it: text (UTF-8), Buffers and other views, ArrayBuffers, Blobs and
 * Files, Node streams and web streams, and iterables of chunks of text or bytes.
 */
export type Bytes =
  | Chunk
  | Blob
  | Readable
  | ReadableStream<Chunk>
  | AsyncIterable<Chunk>
  | Iterable<Chunk>;

export interface GivenBody {
  readonly body?: Bytes | undefined;
  readonly contentLength?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A program's body in the form that actions take. Throws InvalidArgument. */
export function takeBody({ body, contentLength, signal }: GivenBody): Body {
  if (contentLength !== undefined && !(Number.isSafeInteger(contentLength) && contentLength >= 0)) {
    throw new StorageError('InvalidArgument', 'contentLength must be a number of bytes.');
  }
  const until = (chunks: AsyncGenerator<Uint8Array>) =>
    signal === undefined ? chunks : untilAborted(chunks, signal);
  const whole = bytesOf(body);
  if (whole !== undefined) {
    return { source: until(piecesOf(whole)), length: contentLength ?? whole.length, signal };
  }
  if (body instanceof Blob) {
    const source = until(chunksOfWeb(body.stream(), signal));
    return { source, length: contentLength ?? body.size, signal };
  }
  if (!isIterable(body)) {
    throw new StorageError(
      'InvalidArgument',
      'body must be a string, a Buffer or other bytes, a Blob, a stream, or an iterable of chunks.',
    );
  }
  const chunks = body instanceof ReadableStream ? chunksOfWeb(body, signal) : body;
  return { source: until(chunksOf(chunks)), length: contentLength, signal };
}

/**
 * Fixes the length of a body in memory at the time of the call: a program may cut off a resizable
 * buffer before it is read.
 */
export function fixLength(params: GivenBody): void {
  const { body, contentLength } = params;
  const inMemory = ArrayBuffer.isView(body) || types.isAnyArrayBuffer(body);
  if (inMemory && contentLength === undefined) {
    Object.assign(params, { contentLength: body.byteLength });
  }
}

/**
 * Throws InvalidArgument, or the signal's reason if it has already aborted: then the call does
 * nothing.
 */
export function requireUnaborted({ signal }: GivenBody): void {
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new StorageError('InvalidArgument', 'signal must be an AbortSignal.');
  }
  signal?.throwIfAborted();
}

/**
 * A stream that fails before it is read, such as that of a missing file, must not end the process.
 * Its reader still gets the error.
 */
export function guard(body: unknown): void {
  if (body instanceof Readable || isForeignStream(body)) body.on('error', () => {});
}

/** Single-use bodies that were already passed to an operation. */
const claimed = new WeakSet<object>();

/** Streams that were flowing, and that the storage has paused until it reads them. */
const held = new WeakSet<object>();

/**
 * Reserves a single-use body for one operation. Otherwise the rest of a partly read body could
 * become the object. A stream that flows because the program also listens to it, for example to
 * hash its data, is paused: its data would be lost before the storage reads it. Throws
 * InvalidArgument.
 */
export function claim(body: unknown): void {
  if (!isReadOnce(body)) return;
  if (claimed.has(body)) {
    const message =
      'This body was already passed to another call. Pass a new stream, or the data itself.';
    throw new StorageError('InvalidArgument', message);
  }
  if (wasRead(body)) {
    abandon(body);
    throw readElsewhere();
  }
  if (isDecoded(body)) {
    abandon(body);
    throw decoded();
  }
  claimed.add(body);
  if (!(body instanceof Readable) || body.readableFlowing !== true) return;
  body.pause();
  held.add(body);
}

const readElsewhere = () =>
  new StorageError(
    'InvalidArgument',
    'This stream was already read or destroyed elsewhere. Pass the data that was read, or ' +
      'a new stream. A route that stores a request must come before body parsers.',
  );

const decoded = () =>
  new StorageError(
    'InvalidArgument',
    'The app called setEncoding() on this request, so its bytes are lost. Pass a request ' +
      'without an encoding, or the text that was read.',
  );

const isReadOnce = (body: unknown): body is object =>
  body instanceof Readable ||
  isForeignStream(body) ||
  body instanceof ReadableStream ||
  (typeof body === 'object' && body !== null && 'next' in body);

function wasRead(body: object): boolean {
  if (body instanceof ReadableStream) return body.locked || Readable.isDisturbed(body);
  if (isForeignStream(body)) return wasForeignRead(body);
  if (!(body instanceof Readable)) return false;
  // A stream that has failed reports its own error when it is read.
  const ended = body.readableEnded || (body.destroyed && body.errored === null);
  return ended || isShared(body);
}

/**
 * Whether other code has read from a stream, or will. A listener for `data` is harmless: it only
 * receives what is read.
 */
const isShared = (body: Readable): boolean =>
  body.readableDidRead || body.listenerCount('readable') > 0 || isDropped(body);

/**
 * Whether Node has dropped the body of a request: it does so when the response ends before the body
 * is read.
 */
const isDropped = (body: Readable & { readonly _dumped?: boolean }): boolean =>
  body._dumped === true;

/**
 * Ends a stream that will not be read, so that its file is closed. The request of a server is left
 * to Node: it shares its connection with the response, in which the app reports the error.
 */
export function abandon(body: unknown): void {
  if (isRequest(body)) letFlow(body);
  else if (body instanceof Readable || isForeignStream(body)) body.destroy?.();
  else if (body instanceof ReadableStream)
    body.cancel().catch(() => {}); // The stream may be locked.
  else if (types.isGeneratorObject(body)) void end(body as unknown as AsyncGenerator);
}

/**
 * Lets a paused body flow again. A body that is never read would block the next request on the
 * connection.
 */
function letFlow(body: Readable): void {
  if (held.has(body)) body.resume();
}

/** Whether a stream is an HTTP message without a status: responses of other servers have one. */
const isRequest = (body: unknown): body is Readable =>
  body instanceof Readable &&
  'rawHeaders' in body &&
  !('statusCode' in body && typeof body.statusCode === 'number');

/**
 * Whether the app has had a request decoded: it then arrives as text, and its bytes are lost. Other
 * streams may consist of text.
 */
const isDecoded = (body: unknown): boolean => isRequest(body) && body.readableEncoding !== null;

async function end(chunks: AsyncGenerator): Promise<void> {
  try {
    await chunks.return(undefined);
  } catch {} // The operation has already failed and reports its own error.
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  (Symbol.asyncIterator in value || Symbol.iterator in value);

async function* chunksOf(
  body: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<Uint8Array> {
  // A file stream never reuses a chunk. Other sources may refill one buffer, but a chunk is written
  // while the next one is produced.
  const copies = !(body instanceof ReadStream);
  if (body instanceof Readable ? isShared(body) : isForeignStream(body) && wasForeignRead(body)) {
    throw readElsewhere();
  }
  if (isDecoded(body)) throw decoded();
  let half = '';
  for await (const chunk of isForeignStream(body) ? untilEnd(body) : body) {
    if (typeof chunk === 'string') {
      if (isRequest(body)) throw decoded();
      const text = half + chunk;
      // A high surrogate at the end waits for the low one.
      half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
      yield Buffer.from(half === '' ? text : text.slice(0, -1));
      continue;
    }
    const bytes = bytesOf(chunk);
    if (bytes === undefined) {
      const message = `The chunks of a body must be strings or bytes, not ${typeof chunk}.`;
      throw new StorageError('InvalidArgument', message);
    }
    yield copies ? Buffer.from(bytes) : bytes;
  }
  if (half !== '') yield Buffer.from(half);
}
