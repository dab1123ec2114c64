import { Readable } from 'node:stream';
import {
  type Delivery,
  type PrincipalResult,
  StorageError,
  type StorageRequest,
  type StorageResponse,
} from '@bucketware/core';
import { clientGone, plainHeaders, withinTimes } from '@bucketware/core/node';

type Body = StorageRequest['body'];

/** The original of a `Request`, such as an IncomingMessage of Node. */
export interface RawRequest {
  /** Raw path and query, or the raw URL. */
  readonly url?: string | undefined;
  /** Names and values alternate, as in Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
}

/** A `RawRequest` with the response of Node to it, as in `c.env` of Hono. */
export interface RawExchange {
  readonly incoming: RawRequest;
  readonly outgoing: { flushHeaders?(): void };
}

/**
 * Node sets `_dumped` when it drops the body of a request, because the response ended before the
 * body was read.
 */
type NodeRequest = Readable & { readonly _dumped?: boolean };

/** A `Request` in the form that the storage takes. */
export class WebRequest implements StorageRequest, Body {
  readonly method: string;
  readonly url: string;
  /** Nothing was stripped from the path. */
  readonly mount = '';
  readonly encrypted: boolean;
  readonly rawHeaders: readonly string[];
  readonly principal: () => PrincipalResult | Promise<PrincipalResult>;
  received = 0;
  /**
   * Receives the report of how the response was sent; `undefined` if the request is not observed.
   */
  delivery: Delivery | undefined;
  readonly #request: Request;
  readonly #original: NodeRequest | undefined;
  #isHeld = false;
  #isTaken = false;
  #signal: AbortSignal | undefined;

  constructor(
    request: Request,
    raw: RawRequest | undefined,
    principal: () => PrincipalResult | Promise<PrincipalResult>,
  ) {
    const { protocol, host, pathname, search } = new URL(request.url);
    this.method = request.method;
    this.url = raw?.url ?? pathname + search;
    this.encrypted = protocol === 'https:';
    this.rawHeaders = raw ? plainHeaders(raw.rawHeaders) : headersOf(request, host);
    this.principal = principal;
    this.#request = request;
    this.#original = raw instanceof Readable ? raw : undefined;
  }

  /**
   * Pauses a body that flows because the app listens to Node's request, for example to count its
   * bytes. Otherwise its data would be lost before the storage reads it.
   */
  holdBack(): void {
    const original = this.#original;
    if (original?.readableFlowing !== true || original.readableDidRead) return;
    original.pause();
    this.#isHeld = true;
  }

  /** Lets a body flow again if the storage has not read it. */
  letFlow(): void {
    if (this.#isHeld) this.#original?.resume();
    this.#isHeld = false;
  }

  get body(): Body {
    return this;
  }

  /** In an app with a `proxy.js` or `middleware.js`, Next ends the body after 10 MB. */
  get isCopy(): boolean {
    return 'nextUrl' in this.#request;
  }

  /** If the app has read or decoded the body, the result is unknown. */
  get parsed(): Body['parsed'] {
    const { readableDidRead, readableEncoding = null, _dumped } = this.#original ?? {};
    const isGone = this.#request.bodyUsed || ((readableDidRead || _dumped) && !this.#isTaken);
    return isGone || readableEncoding !== null ? { value: undefined } : undefined;
  }

  /**
   * This is the first access to the body, because some runtimes then request it from the client.
   */
  chunks(times: Parameters<Body['chunks']>[0]): AsyncIterable<Uint8Array> {
    this.#isHeld = false;
    this.#isTaken = true;
    return withinTimes(bytes(this.#request, this), times);
  }

  observe(_: StorageResponse, delivery: Delivery): void {
    this.delivery = delivery;
  }

  isGone(): boolean {
    return this.#request.signal.aborted;
  }

  get signal(): AbortSignal {
    this.#signal ??= untilGone(this.#request.signal);
    return this.#signal;
  }
}

/** Adds a Host header, which HTTP/2 requests and those created by a program lack. */
function headersOf({ headers }: Request, host: string): string[] {
  const list = Array.from(headers).flat();
  return headers.has('host') ? list : ['host', host, ...list];
}

/** An interrupted body must never look complete. */
async function* bytes(
  { body, headers }: Request,
  counter: { received: number },
): AsyncGenerator<Uint8Array> {
  // SvelteKit leaves out a body without Content-Type, so a chunked one would look empty.
  if (body === null && headers.has('transfer-encoding')) {
    const message = 'The app has not passed on the body. Send a Content-Length and a Content-Type.';
    throw new StorageError('MissingContentLength', message);
  }
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new StorageError('ReadBodyError', undefined, { cause });
      });
      if (done) return;
      counter.received += value.length;
      yield value;
    }
  } finally {
    // The rest is not cancelled, because that would close the connection before the response.
    reader.releaseLock();
  }
}

function untilGone(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const gone = () => controller.abort(clientGone());
  if (signal.aborted) gone();
  else signal.addEventListener('abort', gone, { once: true });
  return controller.signal;
}
