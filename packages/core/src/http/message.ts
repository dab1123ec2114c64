import type { Readable } from 'node:stream';
import type { PrincipalResult } from '../contracts/principal.js';

/** A request as an adapter hands it over: nothing decoded, nothing normalised. */
export interface StorageRequest {
  readonly method: string;
  /** Raw path and query below the place where the storage is mounted, starting with `/`. */
  readonly url: string;
  /** The raw path of that place, such as `/storage`; empty at the root. */
  readonly mount: string;
  /** Whether the connection itself is encrypted. */
  readonly encrypted: boolean;
  /** Names and values in turn, as Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
  /** The body's bytes. Throws when the body broke off. */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * The same, all at once. Called instead of reading `body`, when the body is known to be small.
   * Throws when no byte came for `stallTimeout` milliseconds; undefined: never.
   */
  readonly wholeBody?: ((stallTimeout: number | undefined) => Promise<Uint8Array>) | undefined;
  /** What a body parser of the host made of the body, when one was there first. */
  readonly parsedBody?: unknown;
  /** Whether the host has read the body's bytes already. */
  readonly bodyConsumed: boolean;
  /** Who is calling. Asked only once the request is known to be for the storage. */
  principal(): PrincipalResult | Promise<PrincipalResult>;
  /** Aborts when the client left before its answer was sent. Made when it is first read. */
  readonly signal?: AbortSignal | undefined;
}

export interface StorageResponse {
  readonly status: number;
  /** Names in lower case. No two answers share the object. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text is UTF-8. A stream is to be sent with `pipeline`, so that a failure cuts the connection. */
  readonly body: string | Uint8Array | Readable;
  /** Milliseconds after which a client that takes no byte is to be cut. Undefined: never. */
  readonly stallTimeout?: number | undefined;
}
