import type { HandlerOptions, ObjectStorage, Presign, PrincipalResult } from '@bucketware/core';
import { connect } from '@bucketware/core/node';
import { type Credentials, v1Signatures } from '@bucketware/signature';
import type { NextFunction, Request, RequestHandler, Response } from 'express';

export interface ExpressStorageOptions extends Omit<HandlerOptions, 'signatures'> {
  /**
   * Who is calling: your app's user as tenantCode, tenantId, userId and userName, or undefined for an
   * anonymous caller. Called once for each request of the storage. Anything else fails the request.
   */
  readonly principal: (req: Request) => PrincipalResult | Promise<PrincipalResult>;
  /**
   * Whose access keys sign requests (`Authorization: bce-auth-v1/…`, or `?authorization=` in a URL): an
   * object from access key to `{ secret, principal }`, or a function that looks one up and may return
   * a promise. Default: signatures are not verified. With `dialect`, give them to the dialect.
   */
  readonly credentials?: Credentials | undefined;
}

/** Middleware for Express that also makes signed links to what is mounted. */
export interface StorageMiddleware extends RequestHandler {
  readonly presign: Presign;
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
): StorageMiddleware {
  const serve = connect('storageMiddleware()', storage, options, v1Signatures);
  const { principal, mount } = options;
  const middleware = async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    try {
      const ahead = segmentsAhead(routeOf(req, middleware), mount);
      const [stripped, url] = splitAt(req.url, ahead);
      const ours = await serve(req, res, {
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
  return Object.assign(middleware, { presign: serve.presign });
}

/**
 * The path of the route that called the middleware. Express leaves the route of an earlier handler
 * in the request when that has gone on; its parameters are gone then.
 */
function routeOf({ route, params }: Request, middleware: RequestHandler): unknown {
  const { path, stack } = (route ?? {}) as Partial<Route>;
  if (stack?.some(({ handle }) => handle === middleware)) return path;
  const [, wildcard] = (typeof path === 'string' && WILDCARD.exec(path)) || [];
  return wildcard !== undefined && (wildcard || '0') in params ? path : undefined;
}

interface Route {
  readonly path: unknown;
  readonly stack: readonly { readonly handle: unknown }[];
}

/** With its name in Express 5. Express 4 counts wildcards from 0. */
const WILDCARD = /\*([\w$]*)/;

/**
 * A route such as `app.route('/storage/*path')` strips nothing from the url. As many segments as
 * stand in front of its wildcard are the mount. Throws for a route that does not say how many.
 */
function segmentsAhead(route: unknown, mount: string | undefined): number {
  if (typeof route === 'string') return wildcardAt(route) ?? 0;
  if (route === undefined || mount !== undefined) return 0;
  const [first, ...others] = Array.isArray(route) ? route.map(wildcardAt) : [];
  if (first !== undefined && others.every((other) => other === first)) return first;
  throw new Error(
    `The route ${String(route)} does not say where the storage is mounted. Use app.use() with ` +
      'a path, routes with one wildcard each, or the option mount.',
  );
}

/** How many segments stand in front of the wildcard. */
function wildcardAt(route: unknown): number | undefined {
  if (typeof route !== 'string' || !route.includes('*')) return undefined;
  return Math.max(route.slice(0, route.indexOf('*')).split('/').length - 2, 0);
}

/** Splits a url behind so many segments of its path. */
function splitAt(url: string, ahead: number): [stripped: string, below: string] {
  if (ahead === 0) return ['', url];
  const [path = '', ...query] = url.split(/(?=\?)/);
  const segments = path.split('/').slice(1);
  const mount = segments.slice(0, ahead).map((segment) => `/${segment}`);
  const below = `/${segments.slice(ahead).join('/')}${query.join('')}`;
  return [mount.join(''), below];
}
