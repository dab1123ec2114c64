import { type KnownOptions, kinds } from '@bucketware/core/contracts';
import { canonicalPath, encodeText } from '../encoding.js';
import { QueryFields } from '../request.js';
import {
  type Address,
  addressOf,
  checkTarget,
  headersOf,
  rawQueryOf,
  type Signer,
  TARGET,
  type Target,
} from '../target.js';
import { extendedTimestamp } from '../timestamps.js';
import {
  canonicalHeaders,
  canonicalQuery,
  DEFAULT_EXPIRES,
  DEFAULT_PREFIX,
  DEFAULT_SCHEME,
  NEVER,
  signatureOf,
} from './canonical.js';

export interface V1Target extends Target {
  /** How long the signature is valid, in seconds, or -1 for no limit. Default 1800. */
  readonly expires?: number | undefined;
  /** The prefix of the interface's own headers. Default `x-svc-`. */
  readonly headerPrefix?: string | undefined;
  /** The first field of the signature. Default `bce-auth-v1`. */
  readonly scheme?: string | undefined;
}

const V1_TARGET: KnownOptions<V1Target> = {
  ...TARGET,
  expires: kinds.number,
  headerPrefix: kinds.text,
  scheme: kinds.text,
};

/**
 * Signs a request with the v1 signature in its Authorization header. Returns the headers to send in
 * addition to those of the target. Throws a `TypeError` for an unknown field of the signer or
 * target.
 */
export function signV1(signer: Signer, target: V1Target): Readonly<Record<string, string>> {
  checkTarget('signV1()', signer, target, V1_TARGET);
  const token = tokenOf(signer, target);
  const headers = { ...target.headers, ...token };
  const { authorization } = sign(signer, { ...target, headers });
  return { ...token, authorization };
}

/**
 * Returns a presigned URL, with a v1 signature in its query. The host and the target's headers are
 * signed. Throws a `RangeError` for an invalid `expires`, and a `TypeError` for an unknown field of
 * the signer or target.
 */
export function presignV1(signer: Signer, target: V1Target): string {
  checkTarget('presignV1()', signer, target, V1_TARGET);
  const query = { ...target.query, ...tokenOf(signer, target) };
  const { authorization, address, rawQuery } = sign(signer, { ...target, query });
  const { origin, mount, path } = address;
  const first = rawQuery === '' ? '' : `${rawQuery}&`;
  return `${origin}${mount}${path}?${first}authorization=${encodeText(authorization)}`;
}

const tokenOf = (
  { sessionToken }: Signer,
  { headerPrefix = DEFAULT_PREFIX }: V1Target,
): Record<string, string> =>
  sessionToken === undefined ? {} : { [`${headerPrefix}security-token`]: sessionToken };

function sign(
  { accessKey, secret }: Signer,
  target: V1Target,
): { readonly authorization: string; readonly address: Address; readonly rawQuery: string } {
  const { method, now, expires = DEFAULT_EXPIRES, scheme = DEFAULT_SCHEME } = target;
  if (!Number.isSafeInteger(expires) || (expires < 1 && expires !== NEVER)) {
    throw new RangeError('expires must be a number of seconds, 1 or more, or -1.');
  }
  const address = addressOf(target);
  const headers = headersOf(target, address.host);
  const rawQuery = rawQueryOf(Object.entries(target.query ?? {}));
  const canonical = [
    method.toUpperCase(),
    canonicalPath(address.path),
    canonicalQuery(new QueryFields(rawQuery)),
    canonicalHeaders([...headers]),
  ].join('\n');
  const authPrefix = `${scheme}/${accessKey}/${extendedTimestamp(now)}/${expires}`;
  const signature = signatureOf(secret, authPrefix, canonical);
  const names = [...headers.keys()].sort().join(';');
  return { authorization: `${authPrefix}/${names}/${signature}`, address, rawQuery };
}
