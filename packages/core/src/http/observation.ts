import { Readable } from 'node:stream';
import type { Principal } from '../contracts/principal.js';
import type { ErrorCode } from '../errors.js';
import type { HandlerContext } from './handler-context.js';
import type { Delivery, StorageRequest, StorageResponse } from './message.js';
import type { Reply } from './reply.js';
import type { ObservedRequest } from './request-observers.js';

/** A request that somebody observes, from its arrival to the end of its response. */
export class Observation implements ObservedRequest, Delivery {
  readonly method: string;
  readonly began = Date.now();
  readonly address: string | undefined;
  status = 0;
  bytesOut = 0;
  firstByte = 0;
  duration = 0;
  complete = false;
  readonly #context: HandlerContext;
  readonly #request: StorageRequest;
  readonly #start = performance.now();
  readonly #reply: Reply;
  #isOver = false;

  constructor(context: HandlerContext, request: StorageRequest, reply: Reply) {
    this.method = request.method;
    this.#context = context;
    this.#request = request;
    this.#reply = reply;
    const forwarded = context.place.trustProxy ? this.header('x-forwarded-for') : undefined;
    // A connection that has closed does not have its address any more.
    this.address = forwarded?.split(',')[0]?.trim() || request.address;
  }

  get requestId(): string {
    return this.#reply.requestId;
  }

  get dialect(): string {
    return this.#context.dialect.name;
  }

  get url(): string {
    return this.#request.mount + this.#request.url;
  }

  get operation(): string | undefined {
    return this.#reply.operation?.action.name;
  }

  get bucket(): string {
    return this.#reply.bucketName;
  }

  get key(): string {
    return this.#reply.identified.key ?? this.#reply.key;
  }

  get principal(): Principal | undefined {
    return this.#reply.identified.principal;
  }

  get error(): ErrorCode | undefined {
    // A copy in the client's cache that is still valid is no failure.
    return this.status === 304 ? undefined : this.#reply.failure;
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

  /** The response is known, and about to be sent. */
  respond(response: StorageResponse): void {
    this.status = response.status;
    this.firstByte = performance.now() - this.#start;
    const { body } = response;
    if (this.#request.observe !== undefined) this.#request.observe(response, this);
    else if (body instanceof Readable) this.#untilRead(body, response.headers);
    else this.over(Buffer.byteLength(body), true);
  }

  over(bytes: number, complete: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.duration = performance.now() - this.#start;
    this.bytesOut = bytes;
    this.complete = complete;
    this.#context.observers.end(this);
  }

  #untilRead(body: Readable, headers: StorageResponse['headers']): void {
    const length = Number(headers['content-length'] ?? 0);
    body.once('close', () => this.over(body.readableEnded ? length : 0, body.readableEnded));
  }
}
