import {
  type HandlerOptions,
  MIDDLEWARE_OPTIONS,
  type ObjectStorage,
  type PrincipalResult,
} from '@bucketware/core';
import { checkOptions } from '@bucketware/core/contracts';
import { serve } from '@bucketware/core/node';
import type { NextFunction, Request, RequestHandler, Response } from 'express';

export interface ExpressStorageOptions extends HandlerOptions {
  /**
   * Who is calling: your app's user as tenantCode, tenantId, userId and userName, or undefined for an
   * anonymous caller. Called once for each request of the storage. Anything else fails the request.
   */
  readonly principal: (req: Request) => PrincipalResult | Promise<PrincipalResult>;
}

/**
 * Answers the storage's requests and leaves all others to the next handler. For Express 4 and 5.
 *
 * ```ts
 * const principal = (req) =>
 *   req.user && {
 *     tenantCode: 'main',
 *     tenantId: '1',
 *     userId: String(req.user.id),
 *     userName: req.user.email,
 *   };
 * app.use('/storage', storageMiddleware(storage, { principal }));
 * ```
 */
export function storageMiddleware(
  storage: ObjectStorage,
  options: ExpressStorageOptions,
): RequestHandler {
  checkOptions('storageMiddleware()', options, MIDDLEWARE_OPTIONS);
  const { principal, ...others } = options;
  const handle = storage.handler(others);
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    try {
      const route = (req.route as { path?: unknown } | undefined)?.path;
      const [stripped, url] = splitAtRoute(req.url, route);
      const ours = await serve(handle, req, res, {
        url,
        mount: req.baseUrl + stripped,
        parsedBody: req.body as unknown,
        principal: () => principal(req),
      });
      if (!ours) next();
    } catch (error) {
      next(error);
    }
  };
}

/**
 * A route such as `app.route('/storage/*path')` strips nothing from the url. As many segments as
 * stand in front of its wildcard are the mount.
 */
function splitAtRoute(url: string, route: unknown): [stripped: string, below: string] {
  if (typeof route !== 'string' || !route.includes('*')) return ['', url];
  const ahead = Math.max(route.slice(0, route.indexOf('*')).split('/').length - 2, 0);
  const [path = '', ...query] = url.split(/(?=\?)/);
  const segments = path.split('/').slice(1);
  const mount = segments.slice(0, ahead).map((segment) => `/${segment}`);
  const below = `/${segments.slice(ahead).join('/')}${query.join('')}`;
  return [mount.join(''), below];
}
