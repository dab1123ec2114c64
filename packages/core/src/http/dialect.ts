import type { Conventions } from '../actions/conventions.js';
import type { Principal } from '../contracts/principal.js';
import type { StorageError } from '../errors.js';
import type { Address } from './address.js';
import type { RequestHeaders } from './headers.js';
import type { RequestBody, StorageRequest, StorageResponse } from './message.js';
import type { Operation } from './operation.js';
import type { Query } from './query.js';

type Headers = Readonly<Record<string, string>>;

/** The host's own login. Undefined: an anonymous caller. */
export type Login = () => Promise<Principal | undefined>;

/** A request whose operation is known. */
export interface UnderstoodRequest {
  readonly request: StorageRequest;
  readonly operation: Operation;
  readonly headers: RequestHeaders;
  readonly query: Query;
  /** Empty when the request is about no bucket. */
  readonly bucket: string;
  /** Empty when the request is about no object. */
  readonly key: string;
  /** Who owns the bucket. Undefined: there is none. */
  readonly owner: Principal | undefined;
  /** Where the client may have sent it: what a signature is about. */
  sentTo(): readonly Address[];
}

export interface Identified {
  readonly principal: Principal | undefined;
  /** In place of the request's own, when its bytes have to be verified or decoded. */
  readonly body?: RequestBody;
  /** Bytes of that body, in place of Content-Length. */
  readonly length?: number | undefined;
  /** The url shows who is calling, and its query cannot have been changed by anybody else. */
  readonly bySignedUrl?: boolean;
  /** Headers of a success that are known once the body was read. */
  readonly received?: () => Headers;
  /** The object, where the body names it and not the url. */
  readonly key?: string;
  /** What the parameters are read from, where the body has them in front of its bytes. */
  readonly fields?: unknown;
}

/** A wire interface: how the actions of the storage are asked for and answered over HTTP. */
export interface Dialect {
  readonly operations: readonly Operation[];
  readonly conventions: Conventions;

  /** Throws InvalidHTTPRequest. `raw`: names and values in turn. */
  readHeaders(raw: readonly string[]): RequestHeaders;

  /** The path of bucket and key, of a raw path below the mount. */
  pathOf(path: string): string;

  /** Throws when a request says something that its operation neither reads nor may ignore. */
  requireUnderstood(operation: Operation, query: Query, headers: RequestHeaders): void;

  /** Whether the url itself shows who is calling, as a signed one does. */
  isSigned(query: Query): boolean;

  /**
   * Who is calling. `login` asks the host. Throws what a signature that does not hold is answered with,
   * and for a request that is signed when nobody has found out by whom.
   */
  identify(request: UnderstoodRequest, login: Login): Promise<Identified>;

  /** An error as this dialect answers it. */
  renderError(error: StorageError, requestId: string): StorageResponse;

  /** Headers of an answer that is begun before its body is known. */
  readonly earlyHeaders: Headers;

  /** Headers of an answer as they are sent, with the id of the request. */
  finish(headers: Record<string, string>, requestId: string): Headers;
}
