import type {
  HandlerOptions,
  ObjectStorage,
  Presign,
  PrincipalResult,
  StorageResponse,
} from '@bucketware/core';
import { connect, keepProtections } from '@bucketware/core/node';
import { type Credentials, v1Signatures } from '@bucketware/signature';
import type { Context, Middleware, Next } from 'koa';

/** The options of {@link storageMiddleware}. */
export interface KoaStorageOptions extends Omit<HandlerOptions, 'signatures'> {
  /**
   * Returns the caller: your app's user as `{ tenantCode, tenantId, userId, userName }`, or
   * undefined for an anonymous caller. Any other result fails the request. Called once for each
   * request to the storage.
   */
  readonly principal: (ctx: Context) => PrincipalResult | Promise<PrincipalResult>;
  /**
   * The credentials of signed requests (`Authorization: bce-auth-v1/…`, or `?authorization=` in a
   * URL): an object that maps access keys to `{ secret, principal }`, or a function that looks one
   * up and may return a promise. Default: signatures are not verified. With `dialect`, pass them to
   * the dialect instead.
   */
  readonly credentials?: Credentials | undefined;
}

/** Middleware for Koa that also creates signed links. */
export interface StorageMiddleware extends Middleware {
  readonly presign: Presign;
}

/**
 * Handles requests to the storage and passes all others to the next middleware.
 *
 * Mount it with koa-mount, or set `mount` and use it at the root of the app:
 *
 * ```ts
 * const principal = ({ state: { user } }) =>
 *   user && {
 *     tenantCode: 'main',
 *     tenantId: '1',
 *     userId: String(user.id),
 *     userName: user.email,
 *   };
 * app.use(storageMiddleware(storage, { mount: '/storage', principal }));
 * ```
 */
export function storageMiddleware(
  storage: ObjectStorage,
  options: KoaStorageOptions,
): StorageMiddleware {
  return storageHandler('storageMiddleware()', storage, options, (ctx) => ctx.url);
}

/**
 * `what` is the function that the app called. `below` returns the raw path and query below the
 * mount.
 */
export function storageHandler(
  what: string,
  storage: ObjectStorage,
  options: KoaStorageOptions,
  below: (ctx: Context) => string,
) {
  const serve = connect(what, storage, options, v1Signatures);
  const { principal } = options;
  const middleware = async (ctx: Context, next: Next): Promise<void> => {
    const url = below(ctx);
    const context = {
      url,
      mount: mountOf(ctx.originalUrl, url),
      original: ctx.originalUrl,
      parsedBody: (ctx.request as { body?: unknown }).body,
      principal: () => principal(ctx),
    };
    const { onerror } = ctx;
    ctx.onerror = withoutDisconnects(onerror);
    // Until then, middleware that does not wait any longer may still respond.
    const bypass = () => {
      ctx.respond = false;
    };
    let isCarried = false;
    const ours = await serve(
      ctx.req,
      ctx.res,
      context,
      (response) => {
        isCarried = true;
        carry(ctx, response);
      },
      bypass,
    );
    if (ours && !isCarried) bypass();
    if (ours) return;
    ctx.onerror = onerror;
    return next();
  };
  return Object.assign(middleware, { presign: serve.presign });
}

/** Passes a response to Koa, so that middleware of the app can still add headers. */
function carry(ctx: Context, response: StorageResponse): void {
  const { status, headers, body } = response;
  // Koa guesses a type for a body, so the status is set first and the headers last.
  ctx.status = status;
  if (status !== 204 && status !== 304) {
    ctx.body = body instanceof Uint8Array ? asBuffer(body) : body;
  }
  ctx.remove('content-type');
  for (const name of Object.keys(headers)) ctx.res.setHeader(name, headers[name] as string);
  keepProtections(ctx.res, response);
}

/**
 * Koa logs a client that disconnects as an error of the app. Failures of the app's own connections
 * have the same codes, so the error is dropped only if the client's connection is closed.
 */
const withoutDisconnects = (onerror: Context['onerror']): Context['onerror'] =>
  function (this: Context, error: NodeJS.ErrnoException | null) {
    const hasDisconnected = this.req.socket.destroyed || this.res.destroyed;
    if (!(hasDisconnected && DISCONNECTED.test(error?.code ?? '')))
      onerror.call(this, error as Error);
  };

/** The codes of broken connections, including those broken during a request. */
const DISCONNECTED =
  /^(ECONNRESET|EPIPE|ETIMEDOUT|ERR_STREAM_PREMATURE_CLOSE|ERR_HTTP2_STREAM_ERROR|HPE_.*)$/;

/**
 * The beginning of the path, which frameworks have stripped. If nothing is left, they add a slash.
 */
function mountOf(original: string, url: string): string {
  const isRoot = url === '/' || url.startsWith('/?');
  const left = isRoot && !original.endsWith(url) ? url.slice(1) : url;
  return original.endsWith(left) ? original.slice(0, original.length - left.length) : '';
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
