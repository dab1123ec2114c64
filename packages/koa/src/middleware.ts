import {
  bypassesFramework,
  checkOptions,
  cutWhenStalled,
  type HandlerOptions,
  MIDDLEWARE_OPTIONS,
  merged,
  type ObjectStorage,
  type Principal,
  sendResponse,
  toStorageRequest,
} from '@bucketware/core';
import type { Context, Middleware, Next } from 'koa';

export interface KoaStorageOptions extends HandlerOptions {
  /** Who is calling. Undefined is an anonymous caller. Asked once for each request of the storage. */
  readonly principal: (ctx: Context) => Principal | undefined | Promise<Principal | undefined>;
}

/**
 * Answers the storage's requests and leaves all others to the next middleware.
 *
 * Mount it with koa-mount, or give `mount` and use it at the root of the app:
 *
 * ```ts
 * app.use(storageMiddleware(storage, { mount: '/storage', principal: (ctx) => ctx.state.user }));
 * ```
 */
export function storageMiddleware(storage: ObjectStorage, options: KoaStorageOptions): Middleware {
  return storageHandler('storageMiddleware()', storage, options, (ctx) => ctx.url);
}

/** `what` is the function that the host called, `below` tells the raw path and query below the mount. */
export function storageHandler(
  what: string,
  storage: ObjectStorage,
  options: KoaStorageOptions,
  below: (ctx: Context) => string,
) {
  checkOptions(what, options, MIDDLEWARE_OPTIONS);
  const { principal, ...others } = options;
  const handle = storage.handler(others);
  return async (ctx: Context, next: Next): Promise<void> => {
    const url = below(ctx);
    const response = await handle(
      toStorageRequest(ctx.req, {
        url,
        mount: mountOf(ctx.originalUrl, url),
        parsedBody: (ctx.request as { body?: unknown }).body,
        principal: () => principal(ctx),
      }),
    );
    if (response === undefined) return next();

    if (bypassesFramework(ctx.req, response)) {
      ctx.respond = false;
      return sendResponse(ctx.req, ctx.res, response);
    }
    cutWhenStalled(ctx.req, ctx.res, response.stallTimeout);
    // Koa guesses a type for a body, so the status comes first and the headers last.
    ctx.status = response.status;
    if (response.status !== 204 && response.status !== 304) {
      ctx.body = response.body instanceof Uint8Array ? asBuffer(response.body) : response.body;
    }
    ctx.remove('content-type');
    const headers = merged(response.headers, ctx.res.getHeader('vary'));
    for (const name of Object.keys(headers)) ctx.res.setHeader(name, headers[name] as string);
  };
}

/** What frameworks have stripped from the front of the path. */
function mountOf(original: string, url: string): string {
  return original.endsWith(url) ? original.slice(0, original.length - url.length) : '';
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
