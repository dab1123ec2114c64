import type { ServerResponse } from 'node:http';
import { isForOne } from '../http/content-headers.js';
import type { StorageResponse } from '../http/message.js';
import { merged } from './outgoing.js';

/** The headers that protect the app and its users from stored content. */
const PROTECTIONS = [
  'content-security-policy',
  'x-content-type-options',
  'cross-origin-resource-policy',
  'cross-origin-opener-policy',
];

/**
 * Keeps the headers that protect from the content of a response, for frameworks that write headers
 * when all middleware is done. A policy that the app sets for its own pages must not replace that of
 * an object, even if middleware has compressed the body.
 */
export function keepProtections(
  res: ServerResponse,
  { status, headers }: Pick<StorageResponse, 'status' | 'headers'>,
): void {
  const { writeHead } = res;
  res.writeHead = ((...given: Parameters<typeof writeHead>) => {
    res.writeHead = writeHead;
    for (const name of PROTECTIONS) {
      const value = headers[name];
      if (value !== undefined) res.setHeader(name, value);
    }
    const isFailure = given[0] >= 400 && given[0] !== status;
    if (isFailure) dropLifetime(res, headers['cache-control']);
    else {
      keepPrivate(res, headers['cache-control']);
      // Without the names of the storage, a cache could give others what is for one caller.
      const { vary } = merged(headers, res.getHeader('vary'));
      if (vary !== undefined) res.setHeader('vary', vary);
    }
    return writeHead.apply(res, given);
  }) as typeof writeHead;
}

/**
 * The app must not give others what is for one caller. It may restrict what is for everybody, and
 * its own error pages are its own.
 */
function keepPrivate(res: ServerResponse, cacheControl: string | undefined): void {
  if (cacheControl === undefined || !isForOne(cacheControl)) return;
  const now = res.getHeader('cache-control');
  if (now === undefined || !isForOne(String(now))) res.setHeader('cache-control', cacheControl);
}

/** The app has replaced an object with an error, which must not last as long as the object. */
function dropLifetime(res: ServerResponse, cacheControl: string | undefined): void {
  const isOfObject = cacheControl !== undefined && res.getHeader('cache-control') === cacheControl;
  if (isOfObject) res.setHeader('cache-control', 'no-store');
}
