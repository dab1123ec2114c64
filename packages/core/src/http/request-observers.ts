import type { Principal } from '../contracts/principal.js';
import type { ErrorCode } from '../errors.js';

/** A request to the storage. While it is handled, only the first group of fields is final. */
export interface ObservedRequest {
  readonly requestId: string;
  /** `json`, `s3`, or the name of another dialect. */
  readonly dialect: string;
  readonly method: string;
  /** Such as `1.1`. */
  readonly httpVersion: string;
  /** The raw path and query that were requested, with the path of the mount. */
  readonly url: string;
  /** When it began: milliseconds since 1970. */
  readonly began: number;
  /**
   * The IP address of the client. With `trustProxy`, the first of `X-Forwarded-For`, which a
   * client may have written. Undefined: not known.
   */
  readonly address: string | undefined;
  /** The value of a request header. Undefined: it was not sent. */
  header(name: string): string | undefined;
  /** Such as `GetObject`. Undefined: the request is none of an operation. */
  readonly operation: string | undefined;
  /** Empty: the request is not about a bucket. */
  readonly bucket: string;
  /** Empty: the request is not about an object. */
  readonly key: string;

  /** Undefined: an anonymous caller, or the caller was not identified. */
  readonly principal: Principal | undefined;
  /** The HTTP status of the response. 0: there is none yet. */
  readonly status: number;
  /** Why the request failed, also when that happened after the response had begun. */
  readonly error: ErrorCode | undefined;
  /** Bytes of the request's body that were read. */
  readonly bytesIn: number;
  /** Bytes of the response's body that were sent. */
  readonly bytesOut: number;
  /** Milliseconds from the request to the beginning of its response. */
  readonly firstByte: number;
  /** Milliseconds from the request to the end of its response. */
  readonly duration: number;
  /** False: the client left before the response was sent, or the response broke off. */
  readonly complete: boolean;
}

/**
 * Learns of requests. What it throws, or rejects with if it is asynchronous, goes to `onError` and
 * has no other effect.
 */
export interface RequestObserver {
  /** A request has arrived. Called in its asynchronous context, before its caller is identified. */
  begin?(request: ObservedRequest): void;
  /** The response to the same object has been sent, or cannot be sent any more. */
  end(request: ObservedRequest): void;
}

/** Those who observe the requests of a storage. */
export class RequestObservers {
  readonly onError: (error: unknown) => void;
  #current: readonly RequestObserver[] = [];

  constructor(onError: (error: unknown) => void) {
    this.onError = onError;
  }

  /** Those who observe a request that begins now: each of them also learns of its end. */
  get current(): readonly RequestObserver[] {
    return this.#current;
  }

  /** Returns a function that ends the observation. */
  add(observer: RequestObserver | RequestObserver['end']): () => void {
    if (typeof observer !== 'function' && typeof observer?.end !== 'function') {
      throw new TypeError('storage.observe() takes a function, or an object with a function end.');
    }
    const added = typeof observer === 'function' ? { end: observer } : observer;
    this.#current = [...this.#current, added];
    return () => {
      this.#current = this.#current.filter((other) => other !== added);
    };
  }
}
