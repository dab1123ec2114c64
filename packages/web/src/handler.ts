import { IncomingMessage, ServerResponse } from 'node:http';
import {
  type HandlerOptions,
  MIDDLEWARE_OPTIONS,
  type ObjectStorage,
  type Presign,
  type PrincipalResult,
} from '@bucketware/core';
import { checkOptions, kinds } from '@bucketware/core/contracts';
import { handlerFor, waitForTurn } from '@bucketware/core/node';
import { type Credentials, v1Signatures } from '@bucketware/signature';
import { hasOwnPath, type RawExchange, type RawRequest, WebRequest } from './request.js';
import { sendHeadersWithBody, toResponse } from './response.js';

export type { RawExchange, RawRequest } from './request.js';

/**
 * The options of {@link toWebHandler}. `Context` is what your app passes in addition to the
 * request, such as the context of Hono.
 */
export interface WebStorageOptions<Context> extends Omit<HandlerOptions, 'signatures'> {
  /**
   * Returns the caller: your app's user as `{ tenantCode, tenantId, userId, userName }`, or
   * undefined for an anonymous caller. Any other result fails the request. Called once for each
   * request to the storage.
   */
  readonly principal: (
    request: Request,
    context: Context,
  ) => PrincipalResult | Promise<PrincipalResult>;
  /**
   * The credentials of signed requests (`Authorization: bce-auth-v1/…`, or `?authorization=` in a
   * URL): an object that maps access keys to `{ secret, principal }`, or a function that looks one
   * up and may return a promise. Default: signatures are not verified. With `dialect`, pass them to
   * the dialect instead.
   */
  readonly credentials?: Credentials | undefined;
  /**
   * Returns the request as it arrived, if the runtime gives access to it, alone or with its
   * response, such as `c.env` of Hono on Node. A `Request` resolves `.` and `..` in its path and
   * joins repeated headers. Without the response, headers of large objects that are not ASCII may be
   * encoded twice. Default: the `Request` is used.
   */
  readonly raw?:
    | ((request: Request, context: Context) => RawRequest | RawExchange | undefined)
    | undefined;
}

/** Handles a `Request`. */
export interface WebHandler<Context> {
  /** Responds with 404 when the request is not for the storage. */
  (request: Request, context?: Context): Promise<Response>;
  /** Calls `next`, and resolves to its result, when the request is not for the storage. */
  <Other>(
    request: Request,
    context: Context,
    next: () => Other | Promise<Other>,
  ): Promise<Response | Other>;
  /** Creates signed links. */
  readonly presign: Presign;
}

/**
 * Creates a function from `Request` to `Response`, for Hono, Bun, Deno and others. Throws a
 * TypeError for an invalid option.
 *
 * ```ts
 * const handle = toWebHandler(storage, { mount: '/storage', principal: (request) => userOf(request) });
 * Deno.serve(handle);
 * ```
 */
export function toWebHandler<Context = unknown>(
  storage: ObjectStorage,
  given: WebStorageOptions<Context>,
): WebHandler<Context> {
  checkOptions('toWebHandler()', given, { ...MIDDLEWARE_OPTIONS, raw: kinds.aFunction });
  const { raw, ...options } = given;
  const { principal } = options;
  const handle = handlerFor('toWebHandler()', storage, options, v1Signatures);
  const answer = async (
    request: Request,
    context: Context,
    next: () => unknown = notFound,
  ): Promise<unknown> => {
    if (!hasOwnPath(request)) return new Response('The Host is not valid.', { status: 400 });
    const exchange = exchangeOf(raw?.(request, context));
    const { outgoing } = exchange;
    const incoming = new WebRequest(request, exchange.incoming, () => principal(request, context));
    incoming.holdBack();
    if (!(await hasTurn(exchange))) return new Response(null, { status: 400 });
    const response = await handle(incoming);
    incoming.letFlow();
    if (response === undefined) return next();
    if (outgoing !== undefined) sendHeadersWithBody(outgoing, response);
    return toResponse(response, request.signal, incoming.delivery);
  };
  return Object.assign(answer as WebHandler<Context>, { presign: handle.presign });
}

/** On other runtimes, and in tests of an app, `c.env` has no request of Node. */
function exchangeOf(given: RawRequest | RawExchange | undefined): Partial<RawExchange> {
  if (given === undefined) return {};
  const exchange = 'incoming' in given ? given : { incoming: given };
  return exchange.incoming?.rawHeaders === undefined ? {} : exchange;
}

/**
 * Waits for the responses to earlier requests on the connection. Until this one can be sent, it would
 * only hold a file and memory. Resolves to false when the client has left.
 */
async function hasTurn({ incoming, outgoing }: Partial<RawExchange>): Promise<boolean> {
  const isNode = incoming instanceof IncomingMessage && outgoing instanceof ServerResponse;
  return !isNode || outgoing.socket !== null || waitForTurn(incoming, outgoing);
}

const notFound = () => new Response('Not found', { status: 404 });
