import { Readable } from 'node:stream';
import {
  type Delivery,
  type PrincipalResult,
  StorageError,
  type StorageRequest,
  type StorageResponse,
} from '@bucketware/core';
import { clientGone, hasOpenStream, plainHeaders, withinTimes } from '@bucketware/core/node';

type Body = StorageRequest['body'];

/** The original of a `Request`, such as an IncomingMessage of Node. */
export interface RawRequest {
  /** Raw path and query. */
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
type NodeRequest = Readable & {
  readonly _dumped?: boolean;
  /** Missing in requests that a program made. */
  readonly socket?: { readonly destroyed: boolean };
  /** In HTTP/2. */
  readonly stream?: { readonly destroyed: boolean };
};

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
  #gone: AbortController | undefined;

  constructor(
    request: Request,
    raw: RawRequest | undefined,
    principal: () => PrincipalResult | Promise<PrincipalResult>,
  ) {
    const { protocol, host, pathname, search } = new URL(absolute(request));
    this.method = request.method;
    this.url = raw?.url ?? pathname + search;
    this.encrypted = protocol === 'https:';
    this.rawHeaders = raw ? plainHeaders(raw.rawHeaders) : headersOf(request, host);
    this.principal = principal;
    this.#request = request;
    this.#original = raw instanceof Readable ? (raw as Readable as NodeRequest) : undefined;
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

  get mayBeUnannounced(): boolean {
    return this.#original !== undefined && hasOpenStream(this.#original);
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
    if (this.#gone !== undefined) this.#follow(this.#gone);
    return withinTimes(bytes(this.#request, this), times);
  }

  observe(_: StorageResponse, delivery: Delivery): void {
    this.delivery = delivery;
  }

  isGone(): boolean {
    if (this.#original === undefined) return this.#mayFollow && this.#request.signal.aborted;
    const { stream, socket } = this.#original;
    return (stream ?? socket)?.destroyed === true;
  }

  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController();
      if (this.#mayFollow) this.#follow(this.#gone);
    }
    return this.#gone.signal;
  }

  /**
   * Some runtimes, such as `@hono/node-server` 1, begin to read the body when the app first uses
   * the signal of a request.
   */
  get #mayFollow(): boolean {
    return this.#isTaken || !mayHaveBody(this.#request, this.#original?.stream !== undefined);
  }

  #follow(controller: AbortController): void {
    const { signal } = this.#request;
    const gone = () => controller.abort(clientGone());
    if (signal.aborted) gone();
    else signal.addEventListener('abort', gone, { once: true });
  }
}

/**
 * Whether the runtime took the path from the request line: Deno joins the Host header and the path
 * without looking at either, so a host with a slash would be the beginning of the path.
 */
export function hasOwnPath(request: Request): boolean {
  const host = request.headers.get('host') ?? '';
  return !/[/?#@\\]/.test(host) && host.length <= MAX_HOST && URL.canParse(absolute(request));
}

/** A host name of up to 253 characters, and a port. Parsing a longer one may take long. */
const MAX_HOST = 260;

/** In Bun, the URL of a request without a valid Host is only a path. */
const absolute = ({ url }: Request): string =>
  url.startsWith('/') ? `http://localhost${url}` : url;

/** In HTTP/2, a body needs no header. */
function mayHaveBody({ method, headers }: Request, isHttp2: boolean): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const length = headers.get('content-length');
  return length === null ? isHttp2 || headers.has('transfer-encoding') : length !== '0';
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
