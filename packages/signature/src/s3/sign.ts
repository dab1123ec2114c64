import {
  CREDENTIALS,
  type Credentials,
  checkCredentials,
  checkOptions,
  type KnownOptions,
  kinds,
  type LinkSigner,
} from '@bucketware/core/contracts';
import { signerOf } from '../credentials.js';
import { hmacHex } from '../hashes.js';
import { byBytes, HeaderFields, QueryFields } from '../request.js';
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
import { basicTimestamp } from '../timestamps.js';
import { canonicalHeaders, canonicalQuery, canonicalRequest, stringToSign } from './canonical.js';
import { MAX_EXPIRES } from './claims.js';
import { UNSIGNED } from './payload.js';
import { ALGORITHM, DEFAULT_REGION, scopeText, signingKey } from './scope.js';

export interface S3Target extends Target {
  /** The region of the credential. Default `us-east-1`. */
  readonly region?: string | undefined;
}

export interface S3HeaderTarget extends S3Target {
  /** The SHA-256 of the body in lower-case hex. Default: the body is not signed. */
  readonly payloadHash?: string | undefined;
}

export interface S3UrlTarget extends S3Target {
  /** How long the URL is valid, in seconds: 1 to 604,800 (seven days). Default 900. */
  readonly expires?: number | undefined;
}

const S3_TARGET: KnownOptions<S3Target> = { ...TARGET, region: kinds.text };
const HEADER_TARGET: KnownOptions<S3HeaderTarget> = { ...S3_TARGET, payloadHash: kinds.text };
const URL_TARGET: KnownOptions<S3UrlTarget> = { ...S3_TARGET, expires: kinds.number };

/**
 * Signs a request with Signature Version 4 in its Authorization header. Returns the headers to send
 * in addition to those of the target. Throws a `TypeError` for an unknown field of the signer or
 * target.
 */
export function signS3(signer: Signer, target: S3HeaderTarget): Readonly<Record<string, string>> {
  checkTarget('signS3()', signer, target, HEADER_TARGET);
  const payloadHash = target.payloadHash ?? UNSIGNED;
  const added = {
    'x-amz-date': basicTimestamp(target.now),
    'x-amz-content-sha256': payloadHash,
    ...(signer.sessionToken === undefined ? {} : { 'x-amz-security-token': signer.sessionToken }),
  };
  const rawQuery = rawQueryOf(Object.entries(target.query ?? {}));
  const plan = planOf(signer, { ...target, headers: { ...target.headers, ...added } });
  const { credential, signedHeaders } = plan;
  const signature = signatureOf(signer, target, plan, rawQuery, payloadHash);
  const authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  return { ...added, authorization };
}

/**
 * Returns a presigned URL, with a Signature Version 4 in its query. The host and the target's
 * headers are signed; the body is not. Throws a `RangeError` for an invalid `expires`, and a
 * `TypeError` for an unknown field of the signer or target.
 */
export function presignS3(signer: Signer, target: S3UrlTarget): string {
  checkTarget('presignS3()', signer, target, URL_TARGET);
  const { expires = 900, now } = target;
  if (!Number.isSafeInteger(expires) || expires < 1 || expires > MAX_EXPIRES) {
    throw new RangeError(`expires must be a number of seconds from 1 to ${MAX_EXPIRES}.`);
  }
  const plan = planOf(signer, target);
  const rawQuery = rawQueryOf([
    ...Object.entries(target.query ?? {}),
    ['X-Amz-Algorithm', ALGORITHM],
    ['X-Amz-Credential', plan.credential],
    ['X-Amz-Date', basicTimestamp(now)],
    ['X-Amz-Expires', `${expires}`],
    ...(signer.sessionToken === undefined
      ? []
      : [['X-Amz-Security-Token', signer.sessionToken] as const]),
    ['X-Amz-SignedHeaders', plan.signedHeaders],
  ]);
  const signature = signatureOf(signer, target, plan, rawQuery, UNSIGNED);
  const { origin, mount, path } = plan.address;
  return `${origin}${mount}${path}?${rawQuery}&X-Amz-Signature=${signature}`;
}

/** Creates links with the given access keys. Throws a `TypeError` for invalid credentials. */
export function s3Links(credentials: Credentials, region?: string): LinkSigner {
  const known = { credentials: kinds.required(CREDENTIALS), region: kinds.text };
  checkOptions('s3Links()', { credentials, region }, known);
  checkCredentials(credentials);
  return {
    maxExpires: MAX_EXPIRES,
    async sign({ accessKey, ...target }) {
      return presignS3(await signerOf(credentials, accessKey), { ...target, region });
    },
  };
}

interface Plan {
  readonly address: Address;
  readonly credential: string;
  readonly scope: { readonly date: string; readonly region: string };
  readonly headers: ReadonlyMap<string, string>;
  readonly signedHeaders: string;
}

function planOf({ accessKey }: Signer, target: S3Target): Plan {
  const address = addressOf(target);
  const scope = {
    date: basicTimestamp(target.now).slice(0, 8),
    region: target.region ?? DEFAULT_REGION,
  };
  const headers = headersOf(target, address.host);
  const signedHeaders = [...headers.keys()].sort(byBytes).join(';');
  return { address, scope, headers, signedHeaders, credential: `${accessKey}/${scopeText(scope)}` };
}

function signatureOf(
  { secret }: Signer,
  { method, now }: S3Target,
  { address, scope, headers, signedHeaders }: Plan,
  rawQuery: string,
  payloadHash: string,
): string {
  const canonical = canonicalRequest({
    method,
    path: `${address.mount}${address.path}`,
    query: canonicalQuery(new QueryFields(rawQuery)),
    headers: canonicalHeaders(
      signedHeaders.split(';'),
      new HeaderFields({ rawHeaders: [...headers].flat() }),
    ),
    signedHeaders,
    payloadHash,
  });
  return hmacHex(signingKey(secret, scope), stringToSign(basicTimestamp(now), scope, canonical));
}
