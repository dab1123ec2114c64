import type { ObjectStorage, Presign } from '@bucketware/core';
import Router from '@koa/router';
import { type KoaStorageOptions, storageHandler } from './middleware.js';

/** A router that also creates signed links. */
export interface StorageRouter extends Router {
  readonly presign: Presign;
}

/**
 * The storage as an `@koa/router` router, which you can nest in other routers:
 *
 * ```ts
 * api.use('/storage', storageRouter(storage, options).routes());
 * ```
 */
export function storageRouter(storage: ObjectStorage, options: KoaStorageOptions): StorageRouter {
  const router = new Router();
  const what = 'storageRouter()';
  const root = storageHandler(what, storage, options, (ctx) => `/${ctx.search}`);
  const below = storageHandler(what, storage, options, (ctx) => {
    // The router strips nothing. The path below the mount is the text that its wildcard matched,
    // undecoded.
    const { captures } = ctx as unknown as { captures: (string | undefined)[] };
    return `/${captures.findLast((text) => text !== undefined)}${ctx.search}`;
  });
  router.all('/', root);
  router.all('/{*path}', below);
  return Object.assign(router, { presign: root.presign });
}
