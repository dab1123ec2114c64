import assert from 'node:assert/strict';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { ErrorCode } from '@bucketware/core';
import type { RequestExtras } from '../../actions/client.js';
import type { ClientOptions } from '../../actions/dialect.js';
import { Failure } from '../../actions/failure.js';
import type { Body, Key } from '../../actions/values.js';
import { Answer } from '../../http/answer.js';
import type { Caller, HttpServer } from '../../http/server.js';
import { begin, receive, type WireRequest } from '../../http/wire.js';
import { JsonAnswer } from './answer.js';
import { codeOfBare, statusesOf } from './statuses.js';

type Parameters = Readonly<Record<string, string | number | undefined>>;

export interface Call {
  readonly method: string;
  readonly bucket?: string | undefined;
  readonly key?: Key | undefined;
  /** A flag, such as `uploads`, stands first and has no value. */
  readonly flag?: string | undefined;
  readonly query?: Parameters | undefined;
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly body?: Body | undefined;
}

/** The login of the servers of this suite. */
export const authorization = (caller: Caller): OutgoingHttpHeaders =>
  caller === 'anonymous' ? {} : { authorization: `Bearer ${caller}` };

/** Percent-encoded, except for slashes. */
const encoded = (key: string): string => encodeURIComponent(key).replaceAll('%2F', '/');

/** The path of an object. */
export const pathOf = (bucket: string, key: string): string => `/${bucket}/${encoded(key)}`;

function targetOf({ bucket, key, flag, query = {} }: Call): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const all = [...(flag === undefined ? [] : [flag]), ...parameters];
  const rest = key === undefined ? '' : `/${typeof key === 'string' ? encoded(key) : key.encoded}`;
  return `/${bucket ?? ''}${rest}${all.length === 0 ? '' : `?${all.join('&')}`}`;
}

/** Requests of one caller. Every answer is held against what the interface says of all answers. */
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
  async call(call: Call, ...statuses: readonly number[]): Promise<JsonAnswer> {
    const answer = JsonAnswer.of(await receive(await this.#send(this.#request(call))));
    return this.#settle(call, answer, statuses);
  }

  /** An answer of 200 whose bytes wait until they are read. */
  async open(call: Call): Promise<{ readonly head: Answer; readonly res: IncomingMessage }> {
    const res = await this.#send(this.#request(call));
    if (res.statusCode === 200) {
      return { head: new Answer(200, res.rawHeaders, Buffer.alloc(0)), res };
    }
    this.#settle(call, JsonAnswer.of(await receive(res)), [200]);
    throw new Error('An answer that is no success is a failure.');
  }

  #request(call: Call): WireRequest {
    const { origin, pathname } = new URL(this.#server.url);
    const headers = { ...authorization(this.#options.caller), ...call.headers };
    for (const extra of this.#extras) Object.assign(headers, extra.headers);
    return {
      origin,
      method: call.method,
      path: (pathname === '/' ? '' : pathname) + targetOf(call),
      headers,
      body: call.body,
      agent: this.#options.agent,
    };
  }

  #settle(call: Call, answer: JsonAnswer, statuses: readonly number[]): JsonAnswer {
    for (const { observe } of this.#extras) observe?.(answer);
    const id = answer.header('x-svc-request-id');
    assert.ok(id, `${call.method} ${targetOf(call)} was answered without an x-svc-request-id`);
    if (statuses.includes(answer.status)) return answer;
    assert.ok(
      answer.status > 299,
      `${call.method} ${targetOf(call)} was answered ${answer.status}`,
    );
    throw failureOf(call, answer);
  }
}

const numberIn = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);

/** The failure that an answer tells, which must be one in every respect. */
export function failureOf({ method, key }: Call, answer: JsonAnswer): Failure {
  const { status } = answer;
  const etag = answer.header('etag');
  if (status === 304) {
    assert.equal(answer.body.length, 0);
    assert.equal(answer.header('content-type'), undefined);
    return new Failure('NotModified', '304', answer, { etag: etag && bare(etag) });
  }
  assert.equal(etag, undefined, 'a refusal tells no ETag');
  if (method === 'HEAD') {
    answer.failsBare(status);
    const code = codeOfBare(status, key !== undefined);
    assert.ok(code, `HEAD was answered ${status}`);
    return new Failure(code, `${status}`, answer);
  }
  const { code, message } = answer.json as { code: ErrorCode; message: string };
  answer.fails(status, code);
  assert.ok(statusesOf(code).includes(status), `${code} was answered with status ${status}`);
  return new Failure(code, message, answer, {
    size: numberIn(answer.header('content-range')?.replace(/^bytes \*\//, '')),
    appendOffset: numberIn(answer.header('x-svc-next-append-offset')),
  });
}

/** The ETag in a header, without its quotes. */
export function bare(value: string): string {
  assert.match(value, /^"[^"]+"$/);
  return value.slice(1, -1);
}

/** A success that has nothing to say. */
export function assertEmpty(answer: Answer): void {
  assert.equal(answer.body.length, 0, `a body came: ${answer.text.slice(0, 200)}`);
  if (answer.status !== 204) assert.equal(answer.header('content-length'), '0');
}

const ISO_SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** A time in a JSON body. */
export function timeOf(text: unknown): Date {
  assert.match(String(text), ISO_SECONDS);
  return new Date(String(text));
}

type Fields = Readonly<Record<string, unknown>>;

/** The JSON of an answer, which has these fields, perhaps the optional ones, and no others. */
export function fieldsOf(
  answer: JsonAnswer,
  required: readonly string[],
  optional: readonly string[] = [],
  // biome-ignore lint/suspicious/noExplicitAny: the actions know what is in it
): any {
  assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
  return assertFields(answer.json, required, optional);
}

export function assertFields<Json extends Fields>(
  json: Json,
  required: readonly string[],
  optional: readonly string[] = [],
): Json {
  const found = Object.keys(json);
  const lacking = required.filter((name) => !found.includes(name));
  const unknown = found.filter((name) => !required.includes(name) && !optional.includes(name));
  assert.deepEqual({ lacking, unknown }, { lacking: [], unknown: [] });
  return json;
}
