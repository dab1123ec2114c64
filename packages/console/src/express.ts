import type { ObjectStorage, PrincipalResult } from '@bucketware/core';
import { checkOptions } from '@bucketware/core/contracts';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { createConsole } from './server/console.js';
import { CONSOLE_OPTIONS, type ConsoleOptions } from './server/options.js';

export type { ConsoleOptions, ShareRequest } from './server/options.js';

export interface ExpressConsoleOptions extends ConsoleOptions {
  /** Identifies the caller: the same function as for `storageMiddleware()`. */
  readonly principal: (req: Request) => PrincipalResult | Promise<PrincipalResult>;
}

/**
 * A page for viewing and managing the storage. Its users may do what the storage allows them to do.
 *
 * ```ts
 * app.use('/console', storageConsole(storage, { principal }));
 * ```
 */
export function storageConsole(
  storage: ObjectStorage,
  options: ExpressConsoleOptions,
): RequestHandler {
  checkOptions('storageConsole()', options, CONSOLE_OPTIONS);
  const { principal, ...others } = options;
  const serve = createConsole(storage, others);
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    try {
      const { url, baseUrl: mount, originalUrl } = req;
      const request = { req, res, url, mount, originalUrl, parsedBody: req.body as unknown };
      if (!(await serve({ ...request, principal: () => principal(req) }))) next();
    } catch (error) {
      // Express would take the strings `route` and `router`, and no value, for "not here".
      next(error instanceof Error ? error : new Error('principal() failed.', { cause: error }));
    }
  };
}
