import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { readSubject } from '../engine/buckets/subject.js';
import { asStorageError, type ErrorCode, isServerFault } from '../errors.js';
import { type CrossOrigin, crossOrigin, NO_RULES } from './cors.js';
import type { Identified } from './dialect.js';
import type { HandlerContext } from './handler-context.js';
import type { RequestHeaders } from './headers.js';
import type { StorageRequest, StorageResponse } from './message.js';
import { Observation } from './observation.js';
import type { Operation } from './operation.js';
import { hostHeaders } from './place-options.js';
import { addPolicies } from './response-policy.js';

/** The codes of Node's errors for a response whose client has left: the others are for HTTP/2. */
const LEFT = new Set<unknown>(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ABORT_ERR']);

/** The methods whose responses caches keep. */
const CACHED = new Set(['GET', 'HEAD']);

/** The response to a request, with everything that it depends on. */
export class Reply {
  readonly requestId = randomUUID();
  headers: RequestHeaders | undefined;
  bucketName = '';
  key = '';
  operation: Operation | undefined;
  identified: Identified = { principal: undefined };
  /** Stays true for an error before the caller is identified: it reveals nothing about a login. */
  showsLogin = true;
  isPrivate = false;
  /** `undefined` until the bucket has been read. */
  cors: CrossOrigin | undefined;
  /** Why the request failed, even if that happened after the response had begun. */
  failure: ErrorCode | undefined;
  readonly #context: HandlerContext;
  readonly #request: StorageRequest;
  /** `undefined` if the request is not observed. */
  readonly #observation: Observation | undefined;

  constructor(context: HandlerContext, request: StorageRequest) {
    this.#context = context;
    this.#request = request;
    const isObserved = context.observers.current.length > 0;
    this.#observation = isObserved ? new Observation(context, request, this) : undefined;
  }

  /** Call it once it is clear that the request is for the storage, and its URL has been read. */
  begin(): void {
    this.#observation?.begin();
  }

  async failed(error: unknown): Promise<StorageResponse> {
    const failure = asStorageError(error);
    this.failure = failure.code;
    await this.identified.discard?.();
    if (isServerFault(failure.code)) this.#report(failure.cause ?? failure);
    else if (this.cors === undefined && this.bucketName !== '' && !this.#request.isGone?.()) {
      await this.#readCors();
    }
    const response = this.#context.dialect.renderError(failure, this.requestId);
    return this.#request.method === 'HEAD' ? { ...response, body: '' } : response;
  }

  /** Adds what every response contains. */
  finished({ status, headers: own, body }: StorageResponse): StorageResponse {
    // Adds to the response's own headers: copying them would cost more than everything else here.
    const headers = own as Record<string, string>;
    const cors = this.cors ?? NO_RULES;
    // Errors depend on the caller and on headers, which a cache does not compare.
    const isPrivate = this.isPrivate || (status >= 400 && status !== 404);
    const { dialect, place, stallTimeout } = this.#context;
    const { showsLogin } = this;
    const hosts = CACHED.has(this.#request.method) ? hostHeaders(place) : undefined;
    addPolicies(headers, { cors, showsLogin, isPrivate, hosts });
    const sent = dialect.finish(headers, this.requestId);
    const response = { status, headers: sent, body, stallTimeout };
    this.#observation?.respond(response);
    return response;
  }

  /** Reports a failure of the stream itself. A client that disconnects is not an error. */
  watch(body: Readable): void {
    body.on('error', (error: NodeJS.ErrnoException) => {
      if (LEFT.has(error.code)) return;
      this.failure = asStorageError(error).code;
      this.#report(error);
    });
  }

  /** A page may read errors too, even those that occurred before the bucket was read. */
  async #readCors(): Promise<void> {
    const { store } = this.#context;
    try {
      const signal = () => this.#request.signal;
      const { bucket } = await readSubject(store, this.bucketName, undefined, signal);
      const headers = this.headers as RequestHeaders;
      const { listsCorsMethods } = this.#context.dialect.conventions;
      const asked = { method: this.#request.method, headers, signal };
      this.cors = await crossOrigin(store, bucket, asked, listsCorsMethods);
    } catch (error) {
      // The response reports the first failure, and a client that has left gets none.
      if (!this.#request.signal?.aborted) this.#report(error);
    }
  }

  #report(error: unknown): void {
    const { method } = this.#request;
    const operation = this.operation?.action.name;
    this.#context.onError(error, { requestId: this.requestId, method, operation });
  }
}
