import type { Principal } from '../contracts/principal.js';
import type { ErrorCode } from '../errors.js';

/** A request to the storage. Until it has ended, only the first group of fields is final. */
export interface ObservedRequest {
  readonly requestId: string;
  /** `json`, `s3`, or the name of another dialect. */
  readonly dialect: string;
  readonly method: string;
  /** The version of HTTP, such as `1.1`. */
  readonly httpVersion: string;
  /** The raw path and query that were requested, with the path of the mount. */
  readonly url: string;
  /** When the request began, in milliseconds since 1970. */
  readonly began: number;
  /**
   * The IP address of the client. With `trustProxy`, the first of `X-Forwarded-For`, which a client
   * may have written. `undefined` if it is not known.
   */
  readonly address: string | undefined;
  /** The value of a request header; `undefined` if it was not sent. */
  header(name: string): string | undefined;
  /** The operation, such as `GetObject`; `undefined` if the request matches none. */
  readonly operation: string | undefined;
  /** Empty if the request is not about a bucket. */
  readonly bucket: string;
  /** Empty if the request is not about an object. */
  readonly key: string;

  /** `undefined` if the caller is anonymous or was not identified. */
  readonly principal: Principal | undefined;
  /** The HTTP status of the response; 0 if there is none yet. */
  readonly status: number;
  /** Why the request failed, even if that happened after the response had begun. */
  readonly error: ErrorCode | undefined;
  /** How many bytes of the request's body were read. */
  readonly bytesIn: number;
  /** How many bytes of the response's body were sent. */
  readonly bytesOut: number;
  /** Milliseconds from the request to the beginning of its response. */
  readonly firstByte: number;
  /** Milliseconds from the request to the end of its response. */
  readonly duration: number;
  /**
   * False if the client disconnected before the response was sent completely, or if the response
   * failed.
   */
  readonly complete: boolean;
}

/** Observes requests. Its errors and rejections go to `onError` and have no other effect. */
export interface RequestObserver {
  /**
   * Called when a request has arrived, in its asynchronous context, before its caller is
   * identified.
   */
  begin?(request: ObservedRequest): void;
  /**
   * Called with the same object, in the same context, when the response has been sent or can no
   * longer be sent.
   */
  end(request: ObservedRequest): void;
  /**
   * `false` if `end` may be called in any asynchronous context, which takes less processor time.
   * Default `true`: it is called in the context of its request.
   */
  readonly needsContext?: boolean | undefined;
}

/** The observers of a storage's requests. */
export class RequestObservers {
  readonly onError: (error: unknown) => void;
  #current: readonly RequestObserver[] = [];
  #needContext = false;

  constructor(onError: (error: unknown) => void) {
    this.onError = onError;
  }

  /** The observers of a request that begins now. Each is also notified of its end. */
  get current(): readonly RequestObserver[] {
    return this.#current;
  }

  /** Whether one of them must be called in the asynchronous context of its request. */
  get needContext(): boolean {
    return this.#needContext;
  }

  /** Returns a function that ends the observation. */
  add(observer: RequestObserver | RequestObserver['end']): () => void {
    if (typeof observer !== 'function' && typeof observer?.end !== 'function') {
      throw new TypeError('storage.observe() takes a function, or an object with an end function.');
    }
    const added = typeof observer === 'function' ? { end: observer } : observer;
    this.#set([...this.#current, added]);
    return () => this.#set(this.#current.filter((other) => other !== added));
  }

  #set(observers: readonly RequestObserver[]): void {
    this.#current = observers;
    this.#needContext = observers.some(({ needsContext }) => needsContext !== false);
  }
}
