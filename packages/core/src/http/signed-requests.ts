import type { SignedRequest } from '../contracts/signatures.js';
import type { Address } from './address.js';
import type { UnderstoodRequest } from './dialect.js';

/**
 * A request in the forms that its client may have signed, one for each address that the client may
 * have used: behind a proxy, the address of the proxy or of the app.
 */
export function signedRequests({
  request,
  headers,
  sentTo,
  now,
}: UnderstoodRequest): readonly SignedRequest[] {
  const { method, url, rawHeaders } = request;
  const at = url.indexOf('?');
  const rawQuery = at < 0 ? '' : url.slice(at + 1);
  const own = headers.get('host');
  const time = now();
  return sentTo()
    .flatMap(asSent)
    .map(({ host, path: rawPath, mount }) => {
      const others = host === own ? undefined : host;
      return { method, rawPath, mount, rawQuery, rawHeaders, now: time, host: others };
    });
}

/**
 * Frameworks show the path of the mount itself with a trailing slash, even when it was sent without
 * one.
 */
const asSent = (address: Address): readonly Address[] =>
  address.mount !== '' && address.path === `${address.mount}/`
    ? [address, { ...address, path: address.mount }]
    : [address];
