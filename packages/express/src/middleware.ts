import type { HandlerOptions, ObjectStorage, Presign, PrincipalResult } from '@bucketware/core';
import { connect } from '@bucketware/core/node';
import { type Credentials, v1Signatures } from '@bucketware/signature';
import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** The options of {@link storageMiddleware}. */
export interface ExpressStorageOptions extends Omit<HandlerOptions, 'signatures'> {
  /**
   * Returns the caller: your app's user as `{ tenantCode, tenantId, userId, userName }`, or
   * undefined for an anonymous caller. Any other result fails the request. Called once for each
   * request to the storage.
   */
  readonly principal: (req: Request) => PrincipalResult | Promise<PrincipalResult>;
  /**
   * The credentials of signed requests (`Authorization: bce-auth-v1/…`, or `?authorization=` in a
   * URL): an object that maps access keys to `{ secret, principal }`, or a function that looks one
   * up and may return a promise. Default: signatures are not verified. With `dialect`, pass them to
   * the dialect instead.
   */
  readonly credentials?: Credentials | undefined;
}

/** Middleware for Express that also creates signed links. */
export interface StorageMiddleware extends RequestHandler {
  readonly presign: Presign;
}

/**
 * Handles requests to the storage and passes all others to the next handler. For Express 4 and 5.
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
        // An API route of Next has no baseUrl.
        mount: ((req.baseUrl as string | undefined) ?? '') + stripped,
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
 * The path of the route that called the middleware. When the handler of an earlier route has called
 * `next()`, the request still has that route, but not its parameters.
 */
function routeOf({ route, params, url }: Request, middleware: RequestHandler): unknown {
  const { path, stack } = (route ?? {}) as Partial<Route>;
  if (stack?.some(({ handle }) => handle === middleware)) return path;
  if (typeof path !== 'string') return undefined;
  const name = WILDCARD.exec(path)?.[1];
  const matched = name === undefined ? undefined : (params as Matched)[name || '0'];
  return matched !== undefined && fits(path, matched, url) ? path : undefined;
}

/** What wildcards matched: text in Express 4, a list of segments in Express 5. */
type Matched = Readonly<Record<string, string | readonly string[]>>;

/**
 * Whether the route can have matched the URL in this way. Otherwise, the parameter belongs to a
 * layer after the route, whose parameter has the same name.
 */
function fits(route: string, matched: string | readonly string[], url: string): boolean {
  const path = (url.split('?', 1)[0] as string).split('/').slice(1).map(decode);
  const ahead = segmentsBefore(route);
  const rest = path.slice(ahead.length).join('/');
  const value = typeof matched === 'string' ? matched : matched.join('/');
  const isLast = /\*[\w$]*\}?$/.test(route);
  const isSame = (name: string, at: number) =>
    !PLAIN.test(name) || name.toLowerCase() === path[at]?.toLowerCase();
  return ahead.every(isSame) && (isLast ? rest === value : rest.includes(value));
}

/** A segment of a route that matches only itself. */
const PLAIN = /^[\w.~-]+$/;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // The storage rejects it.
  }
}

interface Route {
  readonly path: unknown;
  readonly stack: readonly { readonly handle: unknown }[];
}

/** A wildcard, with its name in Express 5. Express 4 numbers wildcards from 0. */
const WILDCARD = /\*([\w$]*)/;

/**
 * How many segments of the URL belong to the mount. A route such as `app.route('/storage/*path')`
 * strips nothing, so the segments before its wildcard are the mount. Throws for a route from which
 * this cannot be determined.
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

/** How many segments precede the wildcard. */
const wildcardAt = (route: unknown): number | undefined =>
  typeof route === 'string' && route.includes('*') ? segmentsBefore(route).length : undefined;

/** The segments of a route before its wildcard. It may be optional: `/storage{/*path}`. */
const segmentsBefore = (route: string): readonly string[] =>
  route.slice(0, route.indexOf('*')).replace(/\{\/$/, '/').split('/').slice(1, -1);

/** Splits a URL after a number of segments of its path. */
function splitAt(url: string, ahead: number): [stripped: string, below: string] {
  if (ahead === 0) return ['', url];
  const [path = '', ...query] = url.split(/(?=\?)/);
  const segments = path.split('/').slice(1);
  const mount = segments.slice(0, ahead).map((segment) => `/${segment}`);
  const below = `/${segments.slice(ahead).join('/')}${query.join('')}`;
  return [mount.join(''), below];
}
