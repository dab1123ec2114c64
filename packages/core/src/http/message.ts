import type { Readable } from 'node:stream';
import type { Checksum } from '../actions/parameters/checksums.js';
import type { PrincipalResult } from '../contracts/principal.js';

export { ContentStream } from '../engine/content/content-stream.js';

/** How long a client may take to send a body. */
export interface BodyTimes {
  /** The longest time without a byte, in milliseconds; `undefined` for no limit. */
  readonly stall: number | undefined;
  /** The longest time for the whole body, in milliseconds; `undefined` for no limit. */
  readonly total?: number | undefined;
}

/** The body of a request. If the app has not read it, it can be read once, in one of two ways. */
export interface RequestBody {
  /**
   * The result of the app's body parser; `undefined` if the body has not been read. `value` is
   * `undefined` when the parser kept nothing.
   */
  readonly parsed: { readonly value: unknown } | undefined;
  /**
   * Whether the framework passes on a copy of the body that may end early, as Next does after 10 MB.
   * Then only a body with Content-Length is accepted.
   */
  readonly isCopy?: boolean;
  /**
   * Whether there may be bytes even if neither Content-Length nor Transfer-Encoding was sent, as in
   * HTTP/2 (RFC 9113 section 8.1).
   */
  readonly mayBeUnannounced?: boolean;
  /**
   * The bytes as they arrive. Throws ReadBodyError when the body is interrupted, RequestTimeout
   * (408) when it takes too long.
   */
  chunks(times: BodyTimes): AsyncIterable<Uint8Array>;
  /**
   * Compares the checksums of the body with those that were announced after it. Throws BadDigest.
   */
  verify?(checksums: readonly Checksum[]): void;
  /**
   * The whole body at once, if Content-Length announces it as small. The method is absent if
   * Content-Length does not count the bytes that `chunks` yields.
   */
  whole?(times: BodyTimes): Promise<Uint8Array> | undefined;
}

/** A request as an adapter passes it: not decoded and not normalised. */
export interface StorageRequest {
  readonly method: string;
  /** Raw path and query below the mount, starting with `/`. */
  readonly url: string;
  /** The whole URL as it arrived, if the framework may have changed `url`. */
  readonly original?: string | undefined;
  /** The raw path of the mount, such as `/storage`; empty at the root. */
  readonly mount: string;
  /** Whether the connection itself is encrypted. */
  readonly encrypted: boolean;
  /** Names and values alternate, as in Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
  readonly body: RequestBody;
  /** Returns the caller. Called only for requests to the storage. */
  principal(): PrincipalResult | Promise<PrincipalResult>;
  /**
   * Aborts when the client disconnects before the response has been sent. Created on first access.
   */
  readonly signal?: AbortSignal | undefined;
  /** Whether the client has disconnected before the response. Cheaper than the signal. */
  isGone?(): boolean;
  /** How many bytes of the body have been read so far. */
  readonly received?: number | undefined;
  /** The version of HTTP. Default `1.1`. */
  readonly httpVersion?: string | undefined;
  /** The IP address of the other end of the connection. */
  readonly address?: string | undefined;
  /**
   * Reports how the response was sent. Called only when requests are observed, right before the
   * response is returned. Without it, a response counts as sent when its body has ended.
   */
  observe?(response: StorageResponse, delivery: Delivery): void;
}

/** Receives the report that a response was sent. */
export interface Delivery {
  /**
   * Reports that the response was sent, or can no longer be sent. Further calls have no effect.
   *
   * @param bytes How many bytes of its body were sent.
   * @param complete Whether that is all of it.
   * @param now The current `performance.now()`, if the caller has already read that clock.
   */
  over(bytes: number, complete: boolean, now?: number): void;
}

/** A response for an adapter to send. */
export interface StorageResponse {
  readonly status: number;
  /** Names in lower case. Each response has its own object. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text is UTF-8. Send a stream with `pipeline`, so that a failure closes the connection. */
  readonly body: string | Uint8Array | Readable;
  /** Milliseconds after which to disconnect a client that reads no byte; `undefined` for never. */
  readonly stallTimeout?: number | undefined;
}
