import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { PrincipalResult } from '../contracts/principal.js';
import { clientGone, StorageError } from '../errors.js';
import { afterPoll } from '../http/after-poll.js';
import { bodyAlreadyRead, decodedBody } from '../http/body.js';
import type {
  BodyTimes,
  Delivery,
  RequestBody,
  StorageRequest,
  StorageResponse,
} from '../http/message.js';
import { endOf, hasOpenStream, isDestroyed, isSent, plainHeaders, rawHeadersOf } from './http2.js';
import { isIncomplete } from './incomplete.js';
import { reportSending } from './sending.js';
import { StallClock, withinTimes } from './stall.js';

/** What an adapter knows in addition to the request itself. */
export interface RequestContext {
  /** Raw path and query below the mount. */
  readonly url: string;
  /** The raw path that the framework has stripped. */
  readonly mount: string;
  /** The whole URL as it arrived. Default: that of Node's request. */
  readonly original?: string | undefined;
  /** The result of the app's body parser, if it has one. */
  readonly parsedBody?: unknown;
  principal(): PrincipalResult | Promise<PrincipalResult>;
}

/**
 * A request of node:http in the form that the storage takes. A class, because each object literal
 * with a getter gets its own hidden class, which cost a third of all small requests.
 */
export class NodeRequest implements StorageRequest, RequestBody {
  readonly method: string;
  readonly url: string;
  readonly mount: string;
  readonly original: string | undefined;
  readonly encrypted: boolean;
  readonly rawHeaders: readonly string[];
  readonly parsed: RequestBody['parsed'];
  readonly mayBeUnannounced: boolean;
  readonly principal: RequestContext['principal'];
  received = 0;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  #signal: AbortSignal | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, context: RequestContext) {
    this.method = req.method ?? 'GET';
    this.url = context.url;
    this.mount = context.mount;
    this.original = context.original ?? (req as { originalUrl?: string }).originalUrl ?? req.url;
    this.encrypted = (req.socket as Partial<TLSSocket>).encrypted === true;
    this.rawHeaders = plainHeaders(rawHeadersOf(req));
    const wasRead = req.readableDidRead || req.destroyed;
    this.parsed = wasRead ? { value: context.parsedBody } : undefined;
    this.mayBeUnannounced = hasOpenStream(req);
    this.principal = context.principal;
    this.#req = req;
    this.#res = res;
  }

  /** The request is its own body, which saves an object for each request. */
  get body(): RequestBody {
    return this;
  }

  /** To pass on what it has buffered, Next replaces the methods of the request. */
  get isCopy(): boolean {
    return Object.hasOwn(this.#req, 'read');
  }

  get httpVersion(): string {
    return this.#req.httpVersion;
  }

  get address(): string | undefined {
    return this.#req.socket.remoteAddress;
  }

  chunks(times: BodyTimes): AsyncIterable<Uint8Array> {
    return withinTimes(bytes(this.#req, this.#res, this), times);
  }

  whole({ stall }: BodyTimes): Promise<Uint8Array> {
    return wholeBody(this.#req, this.#res, stall, this);
  }

  observe(response: StorageResponse, delivery: Delivery): void {
    reportSending(this.#res, response, delivery);
  }

  isGone(): boolean {
    return isDestroyed(this.#res);
  }

  /** Created on first access: most requests end before that. */
  get signal(): AbortSignal {
    this.#signal ??= untilGone(this.#res);
    return this.#signal;
  }
}

/** Aborts when the connection closes before the response was sent completely. */
function untilGone(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const gone = () => {
    if (isSent(res)) return;
    controller.abort(clientGone());
  };
  if (isDestroyed(res)) gone();
  else endOf(res).once('close', gone);
  return controller.signal;
}

/** Counts the bytes of a body as they arrive. */
interface Counter {
  received: number;
}

/**
 * Up to this many chunks of a body are joined into one, because each costs far more than a byte.
 */
const MANY = 1000;

/**
 * Chunks with fewer bytes are joined with those that arrived at the same time, because each costs a
 * write to the disk.
 */
const SMALL = 1024;

const next = (req: IncomingMessage): Uint8Array | null => req.read();

async function withMore(req: IncomingMessage, chunk: Uint8Array): Promise<Uint8Array> {
  await afterPoll();
  const chunks = [chunk];
  // Node 26 returns one chunk at a time, earlier versions all that have arrived.
  for (let more = next(req); more !== null; more = next(req)) chunks.push(more);
  return chunks.length === 1 ? chunk : Buffer.concat(chunks);
}

async function wholeBody(
  req: IncomingMessage,
  res: ServerResponse,
  stallTimeout: number | undefined,
  counter: Counter,
): Promise<Uint8Array> {
  requireUnread(req, res, counter);
  const bytes = allBytes(req, counter);
  // A small body arrives with its headers. A timer would cost more than everything else about it.
  if (stallTimeout === undefined || req.complete) return bytes;
  const clock = new StallClock(stallTimeout);
  req.on('data', () => clock.progress());
  try {
    return await clock.wait(() => bytes);
  } finally {
    clock.stop();
  }
}

function allBytes(req: IncomingMessage, counter: Counter): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    const broken = (cause?: unknown) =>
      reject(new StorageError('ReadBodyError', undefined, { cause }));
    // If the body ended or failed before these listeners were added, no event reports it any more.
    if (endedEmpty(req)) return resolve(NO_BYTES);
    if (req.destroyed) return broken();
    req.on('data', (chunk: Buffer | string) => {
      if (typeof chunk === 'string') return reject(decodedBody());
      counter.received += chunk.length;
      chunks.push(chunk);
      if (chunks.length > MANY) chunks = [Buffer.concat(chunks)];
    });
    req.once('end', () => {
      if (isIncomplete(req)) broken();
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    req.once('error', broken);
    req.once('close', () => {
      if (!req.readableEnded) broken();
    });
    if (req.isPaused()) req.resume();
  });
}

const NO_BYTES = new Uint8Array();

/** Whether an empty body has ended before the storage reads it, because the app listens to it. */
const endedEmpty = (req: IncomingMessage): boolean =>
  req.readableEnded && !isIncomplete(req) && !req.readableDidRead;

/**
 * Throws when the app has read some of the body, or will: the rest of a chunked body would look
 * like all of it. A listener for `data` is harmless, because it only receives what is read here.
 */
function requireUnread(req: IncomingMessage, res: ServerResponse, { received }: Counter): void {
  requireBytes(req);
  if (received > 0) return;
  // By now, Node has dropped the rest of the body, which would therefore look empty.
  if (res.writableEnded) throw new StorageError('ReadBodyError', 'The app has already responded.');
  if (req.readableDidRead || req.listenerCount('readable') > 0) throw bodyAlreadyRead();
}

/**
 * Throws when the app has called `setEncoding()`: the body then arrives as text, and its bytes are
 * lost.
 */
function requireBytes({ readableEncoding }: IncomingMessage): void {
  if (readableEncoding !== null) throw decodedBody();
}

/**
 * Pauses a body that flows because the app listens to it, for example to count its bytes. Otherwise
 * its data would be lost before the storage reads it. Returns a function that lets it flow again.
 */
export function holdBack(req: IncomingMessage, res: ServerResponse): () => void {
  if (req.readableFlowing !== true || req.readableDidRead) return () => {};
  req.pause();
  const flow = () => void req.resume();
  // A body that is never read would block the next request on the connection.
  endOf(res).once('close', flow);
  return flow;
}

/** An interrupted body must never look complete. */
async function* bytes(
  req: IncomingMessage,
  res: ServerResponse,
  counter: Counter,
): AsyncGenerator<Uint8Array> {
  requireUnread(req, res, counter);
  try {
    // After the loop, a response may still be sent, so the connection must stay open.
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      requireBytes(req);
      const more = chunk.length < SMALL ? await withMore(req, chunk) : chunk;
      counter.received += more.length;
      yield more;
    }
  } catch (cause) {
    requireBytes(req);
    throw new StorageError('ReadBodyError', undefined, { cause });
  }
  if (isIncomplete(req)) throw new StorageError('ReadBodyError');
}
