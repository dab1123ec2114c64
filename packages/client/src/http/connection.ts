import { StorageError } from '../errors.js';
import { encode, encodeKey, toHeader } from './encoding.js';
import { failureIn, unreachable } from './failures.js';
import { delayBefore, isWorthRetrying, type RetryOptions, sleep } from './retry.js';
import { type Signer, sign } from './signing.js';
import { patienceOf } from './stall.js';
import { fetchWithProgress, hasProgress } from './xhr.js';

type Headers = Readonly<Record<string, string>>;

export interface ClientOptions {
  /** Where the storage is mounted: `https://example.com/storage`, or `/storage` in a page of the same origin. */
  readonly endpoint: string | URL;
  /** Sent with each request, such as `authorization`. A function is called for each attempt. */
  readonly headers?: Headers | (() => Headers | Promise<Headers>) | undefined;
  /** Whether cookies are sent. Default `same-origin`; `include` for a storage on another origin. */
  readonly credentials?: 'omit' | 'same-origin' | 'include' | undefined;
  /** Signs all requests. For servers: whoever has the secret has the rights of its user. */
  readonly signer?: Signer | undefined;
  /** Instead of the global one. Progress within a part is then not known. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** False: no request is repeated. */
  readonly retry?: RetryOptions | false | undefined;
  /** Milliseconds without any progress after which a request is repeated. Default 2 minutes; 0: never. */
  readonly timeout?: number | undefined;
  /** The `headerPrefix` of the storage. Default `x-svc-`. */
  readonly headerPrefix?: string | undefined;
}

/** A request in the words of the interface. */
export interface Call {
  readonly method: string;
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  readonly query?: Readonly<Record<string, string>>;
  /** In lower case, as text. */
  readonly headers?: Headers;
  readonly body?: Body | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the body that were sent, as far as that is known. */
  readonly onProgress?: ((loaded: number) => void) | undefined;
  /** False: carried out twice, it would do something else. Default true. */
  readonly mayRepeat?: boolean | undefined;
}

/** What can be sent again. */
export type Body = string | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob;

const SIGNED_FOR = 1800;
const TIMEOUT = 120_000;

/** Sends requests to one storage, and repeats those that failed by bad luck. */
export class Connection {
  readonly prefix: string;
  readonly #options: ClientOptions;
  readonly #endpoint: URL;

  constructor(options: ClientOptions) {
    const base = (globalThis as { location?: { href: string } }).location?.href;
    this.#options = options;
    this.#endpoint = new URL(options.endpoint, base);
    this.prefix = options.headerPrefix ?? 'x-svc-';
  }

  /** `read` turns the response into a result, and may throw to have the request repeated. */
  async send<Result>(call: Call, read: (response: Response) => Promise<Result>): Promise<Result> {
    const { retry } = this.#options;
    const pace = retry === false ? { times: 0 } : (retry ?? {});
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(call, read);
      } catch (error) {
        call.signal?.throwIfAborted();
        const isLast = attempt >= (pace.times ?? 6);
        if (isLast || !isWorthRetrying(error, call.mayRepeat ?? true)) throw error;
        await sleep(delayBefore(attempt, pace, error), call.signal);
      }
    }
  }

  async #attempt<Result>(call: Call, read: (response: Response) => Promise<Result>) {
    const response = await this.#fetch(call);
    // The storage redirects nobody: this is the login of the app in front of it.
    if (response.redirected)
      throw await failureIn(new Response(null, { status: 401 }), this.prefix);
    if (!response.ok) throw await failureIn(response, this.prefix);
    try {
      return await read(response);
    } catch (error) {
      if (error instanceof StorageError) throw error;
      throw unreachable(this.#endpoint, error); // The response broke off.
    }
  }

  async #fetch({ onProgress, ...call }: Call): Promise<Response> {
    const { credentials, fetch: given, headers: more, timeout } = this.#options;
    const all = { ...(typeof more === 'function' ? await more() : more), ...call.headers };
    const { url, path, query } = this.#address(call);
    const signed = await this.#signed(call, { host: url.host, path, query }, all);
    const headers = Object.fromEntries(
      Object.entries(signed).map(([name, value]) => [name, toHeader(value)]),
    );
    const { method, body } = call;
    const follows = given === undefined && onProgress && body !== undefined && hasProgress();
    // How far fetch is with a large body, nobody knows.
    const isTimed = follows || body === undefined || typeof body === 'string';
    const patience = patienceOf(call.signal, isTimed ? (timeout ?? TIMEOUT) : 0);
    const init = { method, headers, credentials, signal: patience.signal } as const;
    try {
      if (!follows) {
        return await (given ?? globalThis.fetch)(url, { ...init, body } as RequestInit);
      }
      return await fetchWithProgress(url, { ...init, body }, (loaded) => {
        patience.renew();
        onProgress(loaded);
      });
    } catch (error) {
      call.signal?.throwIfAborted();
      throw unreachable(url, error);
    } finally {
      patience.end();
    }
  }

  #address({ bucket, key, query = {} }: Call) {
    const path = `/${bucket ?? ''}${key === undefined ? '' : `/${encodeKey(key)}`}`;
    const pairs = Object.entries(query);
    const search = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
    const base = this.#endpoint.href.replace(/[?#].*$/, '').replace(/\/$/, '');
    const url = new URL(base + path + (search && `?${search}`));
    return { url, path, query: pairs };
  }

  async #signed(
    { method }: Call,
    address: { host: string; path: string; query: (readonly [string, string])[] },
    headers: Record<string, string>,
  ): Promise<Record<string, string>> {
    const { signer } = this.#options;
    if (signer === undefined) return headers;
    const token = this.#token(signer);
    const signed = { ...headers, ...token };
    const time = { expiresIn: SIGNED_FOR, now: Date.now() };
    return {
      ...signed,
      authorization: await sign(signer, { method, ...address, headers: signed, ...time }),
    };
  }

  #token({ sessionToken }: Signer): Record<string, string> {
    return sessionToken === undefined ? {} : { [`${this.prefix}security-token`]: sessionToken };
  }

  /** The address of a call, without a signature. */
  url(call: Pick<Call, 'bucket' | 'key' | 'query'>): string {
    return this.#address(call as Call).url.href;
  }

  /** A URL that carries its own signature. */
  async presign(call: Call, expiresIn: number): Promise<string> {
    const { signer } = this.#options;
    if (signer === undefined) {
      throw new TypeError(
        'presign() needs the option signer. Servers make links with presign() of the middleware.',
      );
    }
    const { method, headers = {} } = call;
    const { url, path, query } = this.#address({
      ...call,
      query: { ...call.query, ...this.#token(signer) },
    });
    const address = { host: url.host, path, query };
    const now = Date.now();
    const authorization = await sign(signer, { method, ...address, headers, expiresIn, now });
    url.search += `${url.search === '' ? '?' : '&'}authorization=${encode(authorization)}`;
    return url.href;
  }
}
