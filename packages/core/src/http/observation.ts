import { AsyncResource } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { Principal } from '../contracts/principal.js';
import type { ErrorCode } from '../errors.js';
import type { Identified } from './dialect.js';
import type { HandlerContext } from './handler-context.js';
import type { Delivery, StorageRequest, StorageResponse } from './message.js';
import type { Operation } from './operation.js';
import type { ObservedRequest, RequestObserver } from './request-observers.js';

/** What is known about a request, or becomes known while it is handled. */
interface Known {
  readonly requestId: string;
  readonly operation: Operation | undefined;
  readonly bucketName: string;
  readonly key: string;
  readonly identified: Identified;
  readonly failure: ErrorCode | undefined;
}

/** An observed request, from its arrival to the end of its response. */
export class Observation implements ObservedRequest, Delivery {
  readonly method: string;
  readonly address: string | undefined;
  status = 0;
  bytesOut = 0;
  firstByte = 0;
  duration = 0;
  complete = false;
  readonly #context: HandlerContext;
  readonly #request: StorageRequest;
  readonly #observers: readonly RequestObserver[];
  readonly #start = performance.now();
  /**
   * The asynchronous context of the request. Its end is noticed in that of another. It costs 2 % of a
   * GET of 1 KiB, so it is `undefined` if no observer needs it.
   */
  readonly #scope: AsyncResource | undefined;
  readonly #known: Known;
  #began: number | undefined;
  #isBegun = false;
  #isOver = false;

  constructor(context: HandlerContext, request: StorageRequest, known: Known) {
    this.method = request.method;
    this.#context = context;
    this.#observers = context.observers.current;
    if (context.observers.needContext) this.#scope = new AsyncResource('ObservedRequest');
    this.#request = request;
    this.#known = known;
    const forwarded = context.place.trustProxy ? this.header('x-forwarded-for') : undefined;
    // A closed connection no longer has its address.
    this.address = forwarded?.split(',')[0]?.trim() || request.address;
  }

  get requestId(): string {
    return this.#known.requestId;
  }

  /** Computed on demand, because few observers need it. */
  get began(): number {
    this.#began ??= Math.round(Date.now() - (performance.now() - this.#start));
    return this.#began;
  }

  get httpVersion(): string {
    return this.#request.httpVersion ?? '1.1';
  }

  get dialect(): string {
    return this.#context.dialect.name;
  }

  get url(): string {
    return this.#request.mount + this.#request.url;
  }

  get operation(): string | undefined {
    return this.#known.operation?.action.name;
  }

  get bucket(): string {
    return this.#known.bucketName;
  }

  get key(): string {
    return this.#known.identified.key ?? this.#known.key;
  }

  get principal(): Principal | undefined {
    return this.#known.identified.principal;
  }

  get error(): ErrorCode | undefined {
    // A 304 is not a failure: the copy in the client's cache is still valid.
    return this.status === 304 ? undefined : this.#known.failure;
  }

  get bytesIn(): number {
    return this.#request.received ?? 0;
  }

  header(name: string): string | undefined {
    const { rawHeaders } = this.#request;
    const wanted = name.toLowerCase();
    for (let at = 0; at < rawHeaders.length; at += 2) {
      if (rawHeaders[at]?.toLowerCase() === wanted) return rawHeaders[at + 1];
    }
    return undefined;
  }

  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    for (const observer of this.#observers) this.#notify(observer, 'begin');
  }

  /** Call it when the response is known and about to be sent. */
  respond(response: StorageResponse): void {
    this.begin(); // A malformed request has not begun yet.
    this.status = response.status;
    const { body } = response;
    // A body in memory is sent with its headers, so reading the clock once is enough for both.
    if (body instanceof Readable) this.firstByte = performance.now() - this.#start;
    if (this.#request.observe !== undefined) this.#request.observe(response, this);
    else if (body instanceof Readable) this.#untilRead(body, response.headers);
    else this.over(Buffer.byteLength(body), true);
  }

  over(bytes: number, complete: boolean, now = performance.now()): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.duration = now - this.#start;
    if (this.firstByte === 0) this.firstByte = this.duration;
    this.bytesOut = bytes;
    this.complete = complete;
    if (this.#scope) this.#scope.runInAsyncScope(this.#end, this);
    else this.#end();
  }

  #end(): void {
    for (const observer of this.#observers) this.#notify(observer, 'end');
  }

  #notify(observer: RequestObserver, moment: 'begin' | 'end'): void {
    const { onError } = this.#context.observers;
    try {
      // The result is not awaited, and an unhandled rejection would end the process.
      const result: unknown = observer[moment]?.(this);
      if (isThenable(result)) result.then(undefined, onError);
    } catch (error) {
      onError(error);
    }
  }

  #untilRead(body: Readable, headers: StorageResponse['headers']): void {
    const length = Number(headers['content-length'] ?? 0);
    body.once('close', () => this.over(body.readableEnded ? length : 0, body.readableEnded));
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | undefined | null)?.then === 'function';
