import {
  type Delivery,
  type PrincipalResult,
  StorageError,
  type StorageRequest,
  type StorageResponse,
} from '@bucketware/core';
import { whileTheyCome } from '@bucketware/core/node';

type Body = StorageRequest['body'];

/** A request before the runtime made a `Request` of it. An IncomingMessage of Node is one. */
export interface RawRequest {
  /** Raw path and query, or the raw URL. */
  readonly url?: string | undefined;
  /** Names and values alternate. */
  readonly rawHeaders: readonly string[];
}

/** A `Request` as the storage takes it. */
export class WebRequest implements StorageRequest, Body {
  readonly method: string;
  readonly url: string;
  /** Nothing was stripped from the path. */
  readonly mount = '';
  readonly encrypted: boolean;
  readonly rawHeaders: readonly string[];
  readonly principal: () => PrincipalResult | Promise<PrincipalResult>;
  received = 0;
  /** Who learns how the response is sent. Undefined: nobody. */
  delivery: Delivery | undefined;
  readonly #request: Request;
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
    this.rawHeaders = raw?.rawHeaders ?? headersOf(request, host);
    this.principal = principal;
    this.#request = request;
  }

  get body(): Body {
    return this;
  }

  /** Nobody knows what the host made of a body that it has read. */
  get parsed(): Body['parsed'] {
    return this.#request.bodyUsed ? { value: undefined } : undefined;
  }

  /** The body is first touched here: some runtimes then ask the client for it. */
  chunks(times: Parameters<Body['chunks']>[0]): AsyncIterable<Uint8Array> {
    return whileTheyCome(bytes(this.#request, this), times);
  }

  observe(_: StorageResponse, delivery: Delivery): void {
    this.delivery = delivery;
  }

  get signal(): AbortSignal {
    this.#signal ??= untilGone(this.#request.signal);
    return this.#signal;
  }
}

/** Requests of HTTP/2, and those that a program makes, have no Host header. */
function headersOf({ headers }: Request, host: string): string[] {
  const list = Array.from(headers).flat();
  return headers.has('host') ? list : ['host', host, ...list];
}

/** A body that broke off must never look like one that ended. */
async function* bytes(
  { body }: Request,
  counter: { received: number },
): AsyncGenerator<Uint8Array> {
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
    // The rest is not cancelled: that would end the connection before the response.
    reader.releaseLock();
  }
}

function untilGone(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const gone = () =>
    controller.abort(new StorageError('ReadBodyError', 'The client closed the connection.'));
  if (signal.aborted) gone();
  else signal.addEventListener('abort', gone, { once: true });
  return controller.signal;
}
