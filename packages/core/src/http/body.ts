import { Readable } from 'node:stream';
import { type Body, NOTHING } from '../engine/content/receive.js';
import { StorageError } from '../errors.js';
import type { RequestHeaders } from './headers.js';
import { HttpError } from './http-error.js';
import type { BodyTimes, RequestBody, StorageRequest } from './message.js';
import { isWithoutBody } from './structured-body.js';

const LENGTH = /^\d{1,15}$/;

/**
 * Content-Length as a number; `undefined` if the body is chunked or there is none. Other transfer
 * codings are not decoded, so encoded data would be stored (RFC 9112 section 6.1).
 */
export function announcedLength(headers: RequestHeaders): number | undefined {
  const coding = headers.get('transfer-encoding');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    const message = 'The only supported Transfer-Encoding is chunked.';
    throw new HttpError('NotImplemented', message, { headers: { connection: 'close' } });
  }
  const text = headers.get('content-length');
  if (text === undefined) return undefined;
  if (!LENGTH.test(text)) throw new StorageError('InvalidHTTPRequest', 'Bad Content-Length.');
  return Number(text);
}

/** How a body arrives. */
export interface Incoming {
  readonly headers: RequestHeaders;
  /** The announced length; `undefined` if the body is chunked. */
  readonly length: number | undefined;
  readonly times: BodyTimes;
}

/** The body of a request, or the bytes that the app has already read and kept. */
export function incoming(
  body: RequestBody,
  request: Pick<StorageRequest, 'signal'>,
  { headers, length, times }: Incoming,
): Body {
  const isAnnounced = headers.has('transfer-encoding') || headers.has('content-length');
  if (length === undefined && !isAnnounced) {
    throw new StorageError('MissingContentLength');
  }
  // Varnish ends a chunked body that breaks off as if it were complete.
  if (length === undefined && (body.isCopy || headers.has('x-varnish'))) {
    const message =
      'The app or a proxy passes on a copy of the body, which may end early. Send a Content-Length header.';
    throw new StorageError('MissingContentLength', message);
  }
  if (body.parsed === undefined) return new IncomingBody(body, request, length, times);
  if (length === 0) return NOTHING;
  const { value } = body.parsed;
  // A parser may have decompressed the bytes; the original bytes are then lost.
  const kept = value instanceof Uint8Array && !headers.has('content-encoding');
  if (!kept) throw bodyAlreadyRead();
  return { source: Readable.from([value]), length, verify: (sums) => body.verify?.(sums) };
}

class IncomingBody implements Body {
  readonly length: number | undefined;
  readonly #body: RequestBody;
  readonly #request: Pick<StorageRequest, 'signal'>;
  readonly #times: BodyTimes;

  constructor(
    body: RequestBody,
    request: Pick<StorageRequest, 'signal'>,
    length: number | undefined,
    times: BodyTimes,
  ) {
    this.#body = body;
    this.#request = request;
    this.length = length;
    this.#times = times;
  }

  get source(): AsyncIterable<Uint8Array> {
    return this.#body.chunks(this.#times);
  }

  whole(): Promise<Uint8Array> | undefined {
    return this.#body.whole?.(this.#times);
  }

  verify(checksums: Parameters<NonNullable<RequestBody['verify']>>[0]): void {
    this.#body.verify?.(checksums);
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal;
  }
}

/**
 * Throws when a change has a body that it does not accept: the client would expect an effect. A
 * body of unknown length that proves empty counts as no body.
 */
export async function requireNoBody(
  operation: string,
  body: RequestBody,
  { headers, length, times }: Incoming,
): Promise<void> {
  const refused = () => new StorageError('InvalidArgument', `${operation} does not accept a body.`);
  if (length !== undefined && length > 0) throw refused();
  if (isWithoutBody(body, { announced: length, headers })) return;
  if (body.parsed !== undefined) throw refused();
  for await (const chunk of body.chunks(times)) if (chunk.length > 0) throw refused();
}

/** The bytes that a body parser of the app has kept; `undefined` if it kept something else. */
export function keptBytes(value: unknown): Uint8Array | undefined {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return bytes instanceof Uint8Array ? bytes : undefined;
}

/** The app read the body and did not keep its bytes: a configuration mistake. */
export const bodyAlreadyRead = () =>
  new StorageError(
    'InternalError',
    'A body parser read the request before it reached the storage. ' +
      'Mount the storage before body parsers such as express.json(), express.urlencoded() or ' +
      'koa-bodyparser.',
  );

/** The app had Node decode the body: a configuration mistake. */
export const decodedBody = () =>
  new StorageError(
    'InternalError',
    'The app called setEncoding() on the request before it reached the storage, so its bytes are lost. ' +
      'Mount the storage before body parsers and everything else that reads requests.',
  );
