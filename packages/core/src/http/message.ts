import type { Readable } from 'node:stream';
import type { PrincipalResult } from '../contracts/principal.js';

/** How long a client may take for a body. */
export interface BodyTimes {
  /** Milliseconds for which no byte may come. Undefined: any. */
  readonly stall: number | undefined;
  /** Milliseconds for the whole body, however steadily it comes. Undefined: any. */
  readonly total?: number | undefined;
}

/** The body of a request. It is read once, in one of two ways, when the host has not read it. */
export interface RequestBody {
  /**
   * What a body parser of the host made of it. Undefined: nobody has read it. `value` is undefined
   * when the parser has kept nothing.
   */
  readonly parsed: { readonly value: unknown } | undefined;
  /**
   * The bytes as they come. Throws ReadBodyError when they break off, RequestTimeout (408) when they
   * take too long.
   */
  chunks(times: BodyTimes): AsyncIterable<Uint8Array>;
  /** The same, all at once: for a body that is known to be small. */
  whole(times: BodyTimes): Promise<Uint8Array>;
}

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
  readonly body: RequestBody;
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
