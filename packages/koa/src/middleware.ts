import { Readable } from 'node:stream';
import {
  type HandlerOptions,
  lingerOver,
  merged,
  type ObjectStorage,
  type Principal,
  type StorageResponse,
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
  return storageHandler(storage, options, (ctx) => ctx.url);
}

/** `below` tells the raw path and query below the mount. */
export function storageHandler(
  storage: ObjectStorage,
  options: KoaStorageOptions,
  below: (ctx: Context) => string,
) {
  const handle = storage.handler(options);
  return async (ctx: Context, next: Next): Promise<void> => {
    const url = below(ctx);
    const response = await handle(
      toStorageRequest(ctx.req, {
        url,
        mount: mountOf(ctx.originalUrl, url),
        parsedBody: (ctx.request as { body?: unknown }).body,
        principal: () => options.principal(ctx),
      }),
    );
    if (response === undefined) return next();

    lingerOver(ctx.req, ctx.res);
    // Koa guesses a type for a body, so the status comes first and the headers last.
    ctx.status = response.status;
    if (response.status !== 204 && response.status !== 304) ctx.body = asBody(response);
    ctx.remove('content-type');
    const headers = merged(response.headers, ctx.res.getHeader('vary'));
    for (const name of Object.keys(headers)) ctx.res.setHeader(name, headers[name] as string);
  };
}

/** What frameworks have stripped from the front of the path. */
function mountOf(original: string, url: string): string {
  return original.endsWith(url) ? original.slice(0, original.length - url.length) : '';
}

const NOT_ASCII = /[^\x20-\x7e]/;

/**
 * Bytes go as a Buffer. With a Content-Disposition beyond ASCII they go as a stream: where Node
 * knows the length when it writes the headers, it decodes that one header, and garbles it.
 */
function asBody({ body, headers }: StorageResponse): string | Buffer | Readable {
  if (!(body instanceof Uint8Array)) return body;
  if (NOT_ASCII.test(headers['content-disposition'] ?? '')) return Readable.from([body]);
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
