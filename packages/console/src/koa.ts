import type { ObjectStorage, PrincipalResult } from '@bucketware/core';
import type { Context, Middleware, Next } from 'koa';
import { createConsole } from './server/console.js';
import type { ConsoleOptions } from './server/options.js';

export type { ConsoleOptions, ShareRequest } from './server/options.js';

export interface KoaConsoleOptions extends ConsoleOptions {
  /** The path of the console, such as `/console`. */
  readonly mount: string;
  /** Identifies the caller: the same function as for `storageMiddleware()`. */
  readonly principal: (ctx: Context) => PrincipalResult | Promise<PrincipalResult>;
}

/**
 * A page for viewing and managing the storage. Its users may do what the storage allows them to do.
 *
 * ```ts
 * app.use(storageConsole(storage, { mount: '/console', principal }));
 * ```
 */
export function storageConsole(storage: ObjectStorage, options: KoaConsoleOptions): Middleware {
  const { principal, mount, ...others } = options;
  if (!/^\/[^?#\s]*[^/?#\s]$/.test(mount)) {
    throw new TypeError('storageConsole(): mount must be a path such as /console.');
  }
  const serve = createConsole(storage, others);
  return async (ctx: Context, next: Next): Promise<void> => {
    const { req, res, url } = ctx;
    if (url !== mount && !url.startsWith(`${mount}/`) && !url.startsWith(`${mount}?`))
      return next();
    const { respond } = ctx;
    ctx.respond = false;
    const parsedBody = (ctx.request as { body?: unknown }).body;
    const request = { req, res, url: url.slice(mount.length), mount, parsedBody };
    const isOurs = await serve({ ...request, principal: () => principal(ctx) });
    if (isOurs) return;
    ctx.respond = respond as boolean;
    return next();
  };
}
