import type { HandlerOptions, ObjectStorage, Presign, PrincipalResult } from '@bucketware/core';
import { handlerFor } from '@bucketware/core/node';
import { type Credentials, v1Signatures } from '@bucketware/signature';
import { type RawRequest, WebRequest } from './request.js';
import { toResponse } from './response.js';

export type { RawRequest } from './request.js';

/** `Context` is what the host passes beside the request, such as the context of Hono. */
export interface WebStorageOptions<Context> extends Omit<HandlerOptions, 'signatures'> {
  /**
   * Who is calling: your app's user as tenantCode, tenantId, userId and userName, or undefined for an
   * anonymous caller. Called once for each request of the storage. Anything else fails the request.
   */
  readonly principal: (
    request: Request,
    context: Context,
  ) => PrincipalResult | Promise<PrincipalResult>;
  /**
   * Whose access keys sign requests (`Authorization: bce-auth-v1/…`, or `?authorization=` in a URL): an
   * object from access key to `{ secret, principal }`, or a function that looks one up and may return
   * a promise. Default: signatures are not verified. With `dialect`, give them to the dialect.
   */
  readonly credentials?: Credentials | undefined;
  /**
   * The request as it arrived, if the runtime gives access to it, such as `c.env.incoming` of Hono
   * on Node. A `Request` resolves `.` and `..` in its path, and joins repeated headers.
   * Default: what the `Request` has.
   */
  readonly raw?: ((request: Request, context: Context) => RawRequest | undefined) | undefined;
}

/** Answers a `Request` with a `Response`. */
export interface WebHandler<Context> {
  /** Answers 404 when the request is not for the storage. */
  (request: Request, context?: Context): Promise<Response>;
  /** Calls `next`, and resolves to its result, when the request is not for the storage. */
  <Other>(
    request: Request,
    context: Context,
    next: () => Other | Promise<Other>,
  ): Promise<Response | Other>;
  /** Makes signed links to what is mounted. */
  readonly presign: Presign;
}

/**
 * A function from `Request` to `Response`, for Hono, route handlers of Next, Bun, Deno and others.
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
  const { raw, ...options } = given;
  if (raw !== undefined && typeof raw !== 'function') {
    throw new TypeError('toWebHandler(): raw must be a function.');
  }
  const { principal } = options;
  const handle = handlerFor('toWebHandler()', storage, options, v1Signatures);
  const answer = async (
    request: Request,
    context: Context,
    next: () => unknown = notFound,
  ): Promise<unknown> => {
    const asked = new WebRequest(request, raw?.(request, context), () =>
      principal(request, context),
    );
    const response = await handle(asked);
    return response === undefined ? next() : toResponse(response, request.signal, asked.delivery);
  };
  return Object.assign(answer as WebHandler<Context>, { presign: handle.presign });
}

const notFound = () => new Response('Not found', { status: 404 });
