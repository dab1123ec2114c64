import type { OutgoingHttpHeaders } from 'node:http';
import type { CaseContext } from '../../actions/case.js';
import type { Caller, HttpServer } from '../../http/server.js';
import { type Body, dial, send as sendRaw, type Wire, type WireRequest } from '../../http/wire.js';
import { JsonAnswer } from '../client/answer.js';
import { authorization } from '../client/spelling.js';

export { JsonAnswer as Answer } from '../client/answer.js';
export { pathOf } from '../client/spelling.js';
export type { Caller };

export interface ClientRequest {
  readonly method: string;
  /** Raw path and query below the mount. */
  readonly path: string;
  /** The caller. Default: alice. */
  readonly as?: Caller | undefined;
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly body?: Body | undefined;
}

/** A connection to which a test writes raw text or bytes, with a response in this dialect. */
export interface JsonWire extends Wire {
  readonly answer: Promise<JsonAnswer | undefined>;
}

/** Sends a request that the test has built. */
export const send = async (request: WireRequest): Promise<JsonAnswer> =>
  JsonAnswer.of(await sendRaw(request));

/** A client for cases about the wire format, which build their requests themselves. */
export class StorageClient {
  readonly server: HttpServer;
  readonly #context: CaseContext;
  readonly #origin: string;
  readonly #mount: string;

  constructor(context: CaseContext) {
    const { origin, pathname } = new URL(context.server.url);
    this.server = context.server;
    this.#context = context;
    this.#origin = origin;
    this.#mount = pathname === '/' ? '' : pathname;
  }

  send({ method, path, as = 'alice', headers, body }: ClientRequest): Promise<JsonAnswer> {
    const all = { ...authorization(as), ...headers };
    const to = { origin: this.#origin, path: this.#mount + path };
    return send({ ...to, method, headers: all, body });
  }

  /** Opens a raw connection. */
  async dial(): Promise<JsonWire> {
    const wire = await dial(this.#origin);
    return { ...wire, answer: wire.answer.then((answer) => answer && JsonAnswer.of(answer)) };
  }

  /**
   * The first lines of a raw request of alice, without the blank line, so that headers can follow.
   */
  opening(method: string, path: string): string {
    const { host } = new URL(this.#origin);
    return (
      `${method} ${this.#mount}${path} HTTP/1.1\r\nHost: ${host}\r\n` +
      'Connection: close\r\nAuthorization: Bearer alice\r\n'
    );
  }

  /** An unused name for a bucket, which is deleted afterwards if the case creates it. */
  newName(): string {
    return this.#context.newName();
  }

  /** Creates a bucket of alice. */
  newBucket(): Promise<string> {
    return this.#context.newBucket();
  }

  put(path: string, body: Body = '', headers?: OutgoingHttpHeaders): Promise<JsonAnswer> {
    return this.send({ method: 'PUT', path, body, headers });
  }

  get(path: string, headers?: OutgoingHttpHeaders): Promise<JsonAnswer> {
    return this.send({ method: 'GET', path, headers });
  }

  head(path: string, headers?: OutgoingHttpHeaders): Promise<JsonAnswer> {
    return this.send({ method: 'HEAD', path, headers });
  }

  delete(path: string): Promise<JsonAnswer> {
    return this.send({ method: 'DELETE', path });
  }

  /** Stores an empty object under each key, several at a time. */
  fill(bucket: string, keys: readonly string[]): Promise<void> {
    return this.#context.fill(bucket, keys);
  }
}
