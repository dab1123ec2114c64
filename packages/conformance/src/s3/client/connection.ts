import assert from 'node:assert/strict';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { RequestExtras } from '../../actions/client.js';
import type { ClientOptions } from '../../actions/dialect.js';
import type { Body, Key } from '../../actions/values.js';
import { Answer } from '../../http/answer.js';
import type { HttpServer } from '../../http/server.js';
import { begin, receive, type WireRequest } from '../../http/wire.js';
import { failureIn } from './failures.js';
import { signed } from './signing.js';
import { type Element, parse } from './xml.js';

type Parameters = Readonly<Record<string, string | number | undefined>>;

export interface Call {
  readonly method: string;
  readonly bucket?: string | undefined;
  readonly key?: Key | undefined;
  readonly query?: Parameters | undefined;
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly body?: Body | undefined;
}

/** Percent-encoded as signatures want it, except for slashes. */
const encodedText = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
export const encoded = (key: string): string => encodedText(key).replaceAll('%2F', '/');

function targetOf({ bucket, key, query = {} }: Call): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodedText(`${value}`)}`],
  );
  const rest = key === undefined ? '' : `/${typeof key === 'string' ? encoded(key) : key.encoded}`;
  const path = `/${bucket ?? ''}${rest}`;
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
}

/** Requests of one caller. Every answer is held against what S3 says of all answers. */
export class Connection {
  readonly #server: HttpServer;
  readonly #options: ClientOptions;
  readonly #extras: readonly RequestExtras[];
  readonly #send: typeof begin;

  constructor(
    server: HttpServer,
    options: ClientOptions,
    extras: readonly RequestExtras[] = [],
    send = begin,
  ) {
    this.#server = server;
    this.#options = options;
    this.#extras = extras;
    this.#send = send;
  }

  with(more: RequestExtras): Connection {
    return new Connection(this.#server, this.#options, [...this.#extras, more], this.#send);
  }

  /** The same caller, whose requests are sent in another way. */
  through(send: typeof begin): Connection {
    return new Connection(this.#server, this.#options, this.#extras, send);
  }

  /** Resolves to an answer of this status, and rejects with the failure that was answered. */
  async call(call: Call, ...statuses: readonly number[]): Promise<Answer> {
    return this.#settle(call, await receive(await this.#send(this.#request(call))), statuses);
  }

  /** The document of an answer of 200. */
  async document(call: Call, root: string): Promise<Element> {
    const answer = await this.call(call, 200);
    assert.equal(answer.header('content-type'), 'application/xml');
    const element = parse(answer.text);
    assert.equal(element.name, root);
    return element;
  }

  /** An answer of 200 whose bytes wait until they are read. */
  async open(call: Call): Promise<{ readonly head: Answer; readonly res: IncomingMessage }> {
    const res = await this.#send(this.#request(call));
    if (res.statusCode === 200) {
      return { head: new Answer(200, res.rawHeaders, Buffer.alloc(0)), res };
    }
    this.#settle(call, await receive(res), [200]);
    throw new Error('An answer that is no success is a failure.');
  }

  #request(call: Call): WireRequest {
    const { origin, host, pathname } = new URL(this.#server.url);
    const headers = { ...call.headers };
    for (const extra of this.#extras) Object.assign(headers, extra.headers);
    const path = (pathname === '/' ? '' : pathname) + targetOf(call);
    const { method, body } = call;
    const { caller, agent } = this.#options;
    return {
      ...{ origin, method, path, body, agent },
      headers: signed({ method, host, path, headers }, caller),
    };
  }

  #settle(call: Call, answer: Answer, statuses: readonly number[]): Answer {
    for (const { observe } of this.#extras) observe?.(answer);
    const what = `${call.method} ${targetOf(call)}`;
    assert.ok(answer.header('x-amz-request-id'), `${what} was answered without a request id`);
    if (statuses.includes(answer.status)) return answer;
    assert.ok(answer.status > 299, `${what} was answered ${answer.status}`);
    throw failureIn(answer, call.method, call.key !== undefined);
  }
}

/** The ETag in a header or element, without its quotes. */
export function bare(value: string | undefined): string {
  assert.match(value ?? '', /^"[^"]+"$/);
  return (value as string).slice(1, -1);
}

/** A success that has nothing to say. */
export function assertEmpty(answer: Answer): void {
  assert.equal(answer.body.length, 0, `a body came: ${answer.text.slice(0, 200)}`);
  if (answer.status !== 204) assert.equal(answer.header('content-length'), '0');
}

/** A time in a document. */
export function timeOf(text: string): Date {
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return new Date(text);
}
