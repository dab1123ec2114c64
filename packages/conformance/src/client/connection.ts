import assert from 'node:assert/strict';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { RequestExtras } from '../actions/client.js';
import type { ClientOptions } from '../actions/dialect.js';
import type { Body, Key } from '../actions/values.js';
import { Answer } from '../http/answer.js';
import type { HttpServer } from '../http/server.js';
import { begin, receive, type WireRequest } from '../http/wire.js';
import { failureIn } from './answers.js';
import type { Spelling } from './spelling.js';

export interface Call {
  readonly method: string;
  readonly bucket?: string | undefined;
  readonly key?: Key | undefined;
  /** A parameter without a value, such as `uploads`. It comes first. */
  readonly flag?: string | undefined;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly body?: Body | undefined;
}

/** The path of an object. */
export function pathOf({ encode }: Pick<Spelling, 'encode'>, bucket: string, key: Key): string {
  const encoded = typeof key === 'string' ? encode(key).replaceAll('%2F', '/') : key.encoded;
  return `/${bucket}/${encoded}`;
}

function targetOf(spelling: Spelling, { bucket = '', key, flag, query = {} }: Call): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${spelling.encode(`${value}`)}`],
  );
  const all = [...(flag === undefined ? [] : [flag]), ...parameters];
  const path = key === undefined ? `/${bucket}` : pathOf(spelling, bucket, key);
  return all.length === 0 ? path : `${path}?${all.join('&')}`;
}

/** Requests of one caller. Asserts for every response what all responses of a dialect require. */
export class Connection {
  readonly spelling: Spelling;
  readonly #server: HttpServer;
  readonly #options: ClientOptions;
  readonly #extras: readonly RequestExtras[];
  readonly #send: typeof begin;

  constructor(
    spelling: Spelling,
    server: HttpServer,
    options: ClientOptions,
    extras: readonly RequestExtras[] = [],
    send = begin,
  ) {
    this.spelling = spelling;
    this.#server = server;
    this.#options = options;
    this.#extras = extras;
    this.#send = send;
  }

  with(more: RequestExtras): Connection {
    const extras = [...this.#extras, more];
    return new Connection(this.spelling, this.#server, this.#options, extras, this.#send);
  }

  /** The same caller, whose requests are sent by another function. */
  through(send: typeof begin): Connection {
    return new Connection(this.spelling, this.#server, this.#options, this.#extras, send);
  }

  /**
   * Resolves to a response with one of these statuses. Rejects with a {@link Failure} for errors.
   */
  async call(call: Call, ...statuses: readonly number[]): Promise<Answer> {
    return this.#settle(call, await receive(await this.#send(this.#request(call))), statuses);
  }

  /** Resolves to a response with status 200 whose body has not been read yet. */
  async open(call: Call): Promise<{ readonly head: Answer; readonly res: IncomingMessage }> {
    const res = await this.#send(this.#request(call));
    if (res.statusCode === 200) {
      return { head: new Answer(200, res.rawHeaders, Buffer.alloc(0)), res };
    }
    this.#settle(call, await receive(res), [200]);
    throw new Error('A response without success must be a failure.');
  }

  #request(call: Call): WireRequest {
    const { origin, host, pathname } = new URL(this.#server.url);
    const path = (pathname === '/' ? '' : pathname) + targetOf(this.spelling, call);
    const { method, body } = call;
    const { caller, agent } = this.#options;
    const headers = { ...call.headers };
    for (const extra of this.#extras) Object.assign(headers, extra.headers);
    const authorized = this.spelling.authorize({ method, host, path, headers }, caller);
    return { origin, method, path, headers: authorized, body, agent };
  }

  #settle(call: Call, answer: Answer, statuses: readonly number[]): Answer {
    for (const { observe } of this.#extras) observe?.(answer);
    const what = `${call.method} ${targetOf(this.spelling, call)}`;
    const id = `${this.spelling.prefix}request-id`;
    assert.ok(answer.header(id), `the response to ${what} has no ${id}`);
    if (statuses.includes(answer.status)) return answer;
    assert.ok(answer.status > 299, `${what} returned ${answer.status}`);
    throw failureIn(this.spelling, answer, call);
  }
}
