import type { ObjectStorage, PrincipalResult } from '@bucketware/core';
import { checkOptions, type KnownOptions } from '@bucketware/core/contracts';
import { ONE_READING } from '@bucketware/core/node';
import type { Context, Middleware, Next } from 'koa';
import { createConsole } from './server/console.js';
import { CONSOLE_OPTIONS, type ConsoleOptions } from './server/options.js';

export type { ConsoleOptions, ShareRequest } from './server/options.js';

export interface KoaConsoleOptions extends ConsoleOptions {
  /** The path of the console, such as `/console`. Leave it out with koa-mount, which strips the path. */
  readonly mount?: string | undefined;
  /** Identifies the caller: the same function as for `storageMiddleware()`. */
  readonly principal: (ctx: Context) => PrincipalResult | Promise<PrincipalResult>;
}

const OPTIONS: KnownOptions<KoaConsoleOptions> = {
  ...CONSOLE_OPTIONS,
  mount: {
    is: 'a path such as /console',
    fits: (value) => typeof value === 'string' && /^(\/[^?#\s]*[^/?#\s])?$/.test(value),
  },
};

/**
 * A page for viewing and managing the storage. Its users may do what the storage allows them to do.
 *
 * ```ts
 * app.use(storageConsole(storage, { mount: '/console', principal }));
 * ```
 */
export function storageConsole(storage: ObjectStorage, options: KoaConsoleOptions): Middleware {
  checkOptions('storageConsole()', options, OPTIONS);
  const { principal, mount = '', ...others } = options;
  const serve = createConsole(storage, others);
  return async (ctx: Context, next: Next): Promise<void> => {
    const { req, res, url, originalUrl } = ctx;
    const below = url.slice(mount.length);
    if (!url.startsWith(mount) || !/^([/?]|$)/.test(below)) return next();
    const outer = mountOf(originalUrl, url);
    // At the root of the app, the console's paths could not be distinguished from the app's.
    if (mount + outer === '' && ONE_READING.test(originalUrl)) {
      const how = 'Give it the option mount, such as /console, or mount it with koa-mount.';
      throw new TypeError(`storageConsole() has no path of its own. ${how}`);
    }
    const parsedBody = (ctx.request as { body?: unknown }).body;
    const request = { req, res, url: below, mount: outer + mount, originalUrl, parsedBody };
    // Until then, the app's own error handler, or middleware that does not wait, may respond.
    const bypass = () => {
      ctx.respond = false;
    };
    const isOurs = await serve({ ...request, principal: () => principal(ctx), bypass });
    return isOurs ? bypass() : next();
  };
}

/** What koa-mount has stripped from the front. Where nothing is left, it leaves a slash. */
function mountOf(original: string, url: string): string {
  const isAdded = /^\/(\?|$)/.test(url) && !original.endsWith(url);
  const left = isAdded ? url.slice(1) : url;
  return original.endsWith(left) ? original.slice(0, original.length - left.length) : '';
}
