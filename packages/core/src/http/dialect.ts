import type { Conventions } from '../actions/conventions.js';
import type { Principal } from '../contracts/principal.js';
import type { LinkSigner } from '../contracts/signatures.js';
import type { YieldIfDue } from '../engine/concurrency/yielder.js';
import type { StorageError } from '../errors.js';
import type { Address } from './address.js';
import type { RequestHeaders } from './headers.js';
import type { BodyTimes, RequestBody, StorageRequest, StorageResponse } from './message.js';
import type { Operation } from './operation.js';
import type { Query } from './query.js';

type Headers = Readonly<Record<string, string>>;

/** The app's own login. Resolves to `undefined` for an anonymous caller. */
export type Login = () => Promise<Principal | undefined>;

/** A request whose operation is known. */
export interface UnderstoodRequest {
  readonly request: StorageRequest;
  readonly operation: Operation;
  readonly headers: RequestHeaders;
  /** Called before the signature of a long head is verified. */
  readonly yieldIfDue: YieldIfDue;
  readonly query: Query;
  /** Empty when the request is not about a bucket. */
  readonly bucket: string;
  /** Empty when the request is not about an object. */
  readonly key: string;
  /** The owner of the bucket; `undefined` if there is no such bucket. */
  readonly owner: Principal | undefined;
  /** How long the client may take to send a structured body, or the fields of a form. */
  readonly times: BodyTimes;
  /** The time of the storage, in milliseconds since 1970. */
  now(): number;
  /** The addresses that the client may have used, for checking a signature. */
  sentTo(): readonly Address[];
}

/** The caller of a request, and whatever identifying the caller has changed about the request. */
export interface Identified {
  /** `undefined` for an anonymous caller. */
  readonly principal: Principal | undefined;
  /** Replaces the request's body when its bytes must be verified or decoded. */
  readonly body?: RequestBody;
  /** The size of that body in bytes. Replaces Content-Length. */
  readonly length?: number | undefined;
  /**
   * Whether a signature in the URL identifies the caller. Browsers do not send one automatically,
   * and only the signer can have written the query.
   */
  readonly bySignedUrl?: boolean;
  /** Closes a partly read body when the request is rejected. */
  readonly discard?: () => Promise<void>;
  /** The object, when the body names it instead of the URL. */
  readonly key?: string;
  /** The source of the parameters, when the body has them before its data. */
  readonly fields?: unknown;
}

/** A wire interface: how actions are written in HTTP requests and responses. */
export interface Dialect {
  /** The name in metrics and logs, such as `s3`. */
  readonly name: string;
  readonly operations: readonly Operation[];
  readonly conventions: Conventions;

  /** Throws InvalidHTTPRequest. In `raw`, names and values alternate. */
  readHeaders(raw: readonly string[]): RequestHeaders;

  /**
   * Moves headers from the query of a request to its headers. Returns `undefined` if the query
   * contains none. Throws when one of them cannot be a header.
   */
  unfold?(
    rawHeaders: readonly string[],
    query: Query,
  ): { readonly headers: RequestHeaders; readonly query: Query } | undefined;

  /** The path of bucket and key within a raw path below the mount. */
  pathOf(path: string): string;

  /** Throws when a request has something that its operation neither reads nor may ignore. */
  requireUnderstood(operation: Operation, query: Query, headers: RequestHeaders): void;

  /**
   * Identifies the caller. `login` calls the app's own login. Throws when a signature is not valid,
   * or when the caller of a signed request was not found.
   */
  identify(request: UnderstoodRequest, login: Login): Promise<Identified>;

  /** Creates signed links; `undefined` if the dialect has no access keys. */
  readonly links?: LinkSigner | undefined;

  /** The response for an error, in this dialect. */
  renderError(error: StorageError, requestId: string): StorageResponse;

  /** Headers of a response that starts before its body is known. */
  readonly earlyHeaders: Headers;

  /** Headers of a response as they are sent, with the id of the request. */
  finish(headers: Record<string, string>, requestId: string): Headers;
}
