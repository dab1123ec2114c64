import { StorageError } from '../errors.js';
import { refuseUnknown } from '../names.js';
import type { UploadRegister } from '../upload/register.js';
import { type Address, endpointOf, locate } from './address.js';
import type { Body } from './body.js';
import { encode, toHeader } from './encoding.js';
import { failureIn, notFromStorage, unreachable } from './failures.js';
import { delayBefore, isWorthRetrying, type RetryOptions, sleep } from './retry.js';
import { type Signed, type Signer, sign } from './signing.js';
import { type StallTimer, startStallTimer } from './stall.js';
import { fetchWithProgress, hasProgress } from './xhr.js';

type Headers = Readonly<Record<string, string>>;

export interface ClientOptions {
  /** Where the storage is mounted: `https://example.com/storage`, or `/storage` in a page on the same origin. */
  readonly endpoint: string | URL;
  /** Sent with each request, such as `authorization`. A function is called for each attempt. */
  readonly headers?: Headers | (() => Headers | Promise<Headers>) | undefined;
  /**
   * Whether to send cookies. Default `same-origin`; use `include` for a storage on another origin.
   */
  readonly credentials?: 'omit' | 'same-origin' | 'include' | undefined;
  /** Signs all requests. Only for servers: anyone who has the secret has the rights of its user. */
  readonly signer?: Signer | undefined;
  /** Replaces the default `fetch`. Progress within a part is then not known. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How failed requests are repeated. False: never. */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * How long a request may make no progress before it is repeated, in milliseconds. Default 2
   * minutes; 0: no limit. It does not apply to downloads, to uploads in Node, or to uploads with a
   * `fetch` of your own.
   */
  readonly timeout?: number | undefined;
  /** The `headerPrefix` of the storage. Default `x-svc-`. */
  readonly headerPrefix?: string | undefined;
  /**
   * Where the client remembers its unfinished uploads, so that it can continue them later. Default:
   * `localStorage` in pages, otherwise memory.
   */
  readonly uploadRegister?: UploadRegister | undefined;
}

/** A request of the interface. */
export interface Call extends Address {
  readonly method: string;
  /** Names are in lower case. Values are text. */
  readonly headers?: Headers;
  readonly body?: Body | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of body bytes sent so far, if known. */
  readonly onProgress?: ((loaded: number) => void) | undefined;
  /** Whether the caller reads the body of the response, with no time limit. */
  readonly isStream?: boolean | undefined;
  /** False: the effect of repeating the request would be different. Default true. */
  readonly mayRepeat?: boolean | undefined;
}

interface Prepared {
  readonly url: URL;
  readonly headers: Headers;
}

const OPTIONS = [
  ...['endpoint', 'headers', 'credentials', 'signer', 'fetch', 'retry', 'timeout'],
  ...['headerPrefix', 'uploadRegister'],
];

const SIGNED_FOR = 1800;
const TIMEOUT = 120_000;

/** The address of the page; `undefined` in Node. */
const here = () => (globalThis as { location?: { href: string; origin: string } }).location;

/** A frame with `srcdoc` has the origin of its page, but not in its address. */
const isOfPage = ({ origin }: URL): boolean => [globalThis.origin, here()?.origin].includes(origin);

/** Browsers hide the status of a redirect that they do not follow. */
const isRedirect = ({ redirected, type, status, headers }: Response): boolean =>
  redirected || type === 'opaqueredirect' || (/^3/.test(`${status}`) && headers.has('location'));

/** Sends requests to one storage, and repeats those with transient failures. */
export class Connection {
  readonly prefix: string;
  readonly #options: ClientOptions;
  readonly #pace: RetryOptions;
  readonly #endpoint: URL;

  constructor(options: ClientOptions = {} as ClientOptions) {
    const base = here()?.href;
    this.#pace = (options.retry ?? {}) || { times: 0 };
    const what = 'createClient() has no option';
    refuseUnknown(what, options, OPTIONS);
    refuseUnknown(what, this.#pace, ['times', 'firstDelay', 'maxDelay']);
    this.#options = options;
    this.#endpoint = endpointOf(options.endpoint, base);
    this.prefix = options.headerPrefix ?? 'x-svc-';
  }

  /** `read` converts the response to a result, and may throw to have the request repeated. */
  async send<Result>(call: Call, read: (response: Response) => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(call, read);
      } catch (error) {
        call.signal?.throwIfAborted();
        const isLast = attempt >= (this.#pace.times ?? 6);
        if (isLast || !isWorthRetrying(error, call.mayRepeat ?? true)) throw error;
        await sleep(delayBefore(attempt, this.#pace, error), call.signal);
      }
    }
  }

  async #attempt<Result>(call: Call, read: (response: Response) => Promise<Result>) {
    const { fetch, credentials, timeout = TIMEOUT } = this.#options;
    const { body, isStream } = call;
    // XMLHttpRequest always sends the cookies of its own origin.
    const isCookieSent = credentials === 'omit' && isOfPage(this.#endpoint);
    const mayFollow = fetch === undefined && !isCookieSent && hasProgress();
    const follows = mayFollow && call.onProgress !== undefined;
    // fetch does not report the progress of a large body.
    const isTimed = follows || body === undefined || typeof body === 'string';
    const prepared = await this.#prepare(call);
    call.signal?.throwIfAborted();
    const stallTimer = startStallTimer(call.signal, isTimed && !isStream ? timeout : 0);
    try {
      const response = await this.#fetch(call, prepared, stallTimer, follows);
      // The storage never redirects: this is the login of the app in front of it.
      const { prefix } = this;
      if (isRedirect(response)) throw await failureIn(new Response(null, { status: 401 }), prefix);
      if (!response.ok) throw await failureIn(response, prefix);
      // This is the app's login page, or its page for unknown paths.
      if (!this.#isFromStorage(response, call)) throw notFromStorage(response);
      return await read(response);
    } catch (error) {
      if (error instanceof StorageError) throw error;
      throw unreachable(this.#endpoint, error); // There was no response, or it was interrupted.
    } finally {
      stallTimer.end();
    }
  }

  /** Browsers hide most headers of another origin, unless they are exposed. */
  #isFromStorage({ headers }: Response, { method }: Call): boolean {
    if (headers.has(`${this.prefix}request-id`)) return true;
    if (here() === undefined || isOfPage(this.#endpoint)) return false;
    return /GET|HEAD/.test(method) || !headers.get('content-type')?.startsWith('text/html');
  }

  async #prepare(call: Call): Promise<Prepared> {
    const { headers: more } = this.#options;
    const own = Object.entries((typeof more === 'function' ? await more() : more) ?? {});
    const named = Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), value]));
    const all = { ...named, ...call.headers };
    const address = locate(this.#endpoint, call);
    const signed = await this.#signed(call, address, all);
    const headers = Object.fromEntries(
      Object.entries(signed).map(([name, value]) => [name, toHeader(value)]),
    );
    new Headers(headers); // A name that no request may have is not a failure of the network.
    return { url: address.url, headers };
  }

  async #fetch(
    { method, body, onProgress }: Call,
    { url, headers }: Prepared,
    stallTimer: StallTimer,
    follows: boolean,
  ): Promise<Response> {
    const { credentials, fetch = globalThis.fetch } = this.#options;
    const init = { method, headers, credentials, signal: stallTimer.signal } as const;
    if (follows && body !== undefined) {
      return fetchWithProgress(url, { ...init, body }, (loaded) => {
        stallTimer.renew();
        onProgress?.(loaded);
      });
    }
    // A browser may cache the response, but must check whether it is still valid. The headers of its
    // copy may be old, although the data is not. With any other method, fetch would add a
    // Cache-Control, which would be stored with the object. A redirect may lead to another host,
    // which must not get the headers and the body.
    const cache = ({ GET: 'no-cache', HEAD: 'no-store' } as const)[method];
    const more = { cache, redirect: 'manual', onProgress };
    // Only the fetch for Node knows onProgress.
    return fetch(url, { ...init, body, ...more } as RequestInit);
  }

  async #signed(
    { method }: Call,
    address: Pick<Signed, 'host' | 'path' | 'query'>,
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

  /** The URL of a call, without a signature. */
  url(address: Address): string {
    return locate(this.#endpoint, address).url.href;
  }

  /** The signed URL of a call. */
  async presign(call: Call, expiresIn: number): Promise<string> {
    const { signer } = this.#options;
    if (signer === undefined) {
      throw new TypeError(
        'presign() needs the option signer. In a server, use presign() of the middleware instead.',
      );
    }
    const { method, headers = {} } = call;
    const query = { ...call.query, ...this.#token(signer) };
    const { url, ...address } = locate(this.#endpoint, { ...call, query });
    const now = Date.now();
    const authorization = await sign(signer, { method, ...address, headers, expiresIn, now });
    url.search += `${url.search === '' ? '?' : '&'}authorization=${encode(authorization)}`;
    return url.href;
  }
}
