import type { Conventions } from '../actions/conventions.js';
import type { Principal } from '../contracts/principal.js';
import type { StorageError } from '../errors.js';
import type { RequestHeaders } from './headers.js';
import type { StorageResponse } from './message.js';
import type { Operation } from './operation.js';
import type { Query } from './query.js';

type Headers = Readonly<Record<string, string>>;

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

  /** Throws when a request is signed, but the host's login did not find out by whom. */
  requireKnownSigner(query: Query, principal: Principal | undefined): void;

  /** An error as this dialect answers it. */
  renderError(error: StorageError, requestId: string): StorageResponse;

  /** Headers of an answer that is begun before its body is known. */
  readonly earlyHeaders: Headers;

  /** Headers of an answer as they are sent, with the id of the request. */
  finish(headers: Record<string, string>, requestId: string): Headers;
}
