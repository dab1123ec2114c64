import {
  CREDENTIALS,
  type Credentials,
  checkCredentials,
  checkOptions,
  type KnownOptions,
  kinds,
  type Principal,
  type SignedForm,
  type SignedRequest,
} from '@bucketware/core/contracts';
import { findCredential, requireCredential } from '../credentials.js';
import { canonicalPath } from '../encoding.js';
import { SignatureError } from '../errors.js';
import type { FormUpload } from '../form.js';
import { hmacHex, hmacSha1Base64, isSame } from '../hashes.js';
import { HeaderFields, QueryFields } from '../request.js';
import { canonicalHeaders, canonicalQuery, canonicalRequest, stringToSign } from './canonical.js';
import { ChunkSigning } from './chunk-signing.js';
import {
  type Claims,
  carriesSignature,
  headerClaims,
  queryClaims,
  type RequestClaims,
  signatureOf,
} from './claims.js';
import { verifyForm } from './form.js';
import { type Payload, payloadOf, requireKnownMode, UNSIGNED } from './payload.js';
import { DEFAULT_REGION, SigningKeys, scopeText, signingKey } from './scope.js';

export interface S3VerifierOptions {
  /** The known access keys, or a function that looks one up and may return a promise. */
  readonly credentials: Credentials;
  /** The regions that requests may be signed for. Default `['us-east-1']`. */
  readonly regions?: readonly string[] | undefined;
}

const OPTIONS: KnownOptions<S3VerifierOptions> = {
  credentials: kinds.required(CREDENTIALS),
  regions: {
    is: 'a list of names such as us-east-1',
    fits: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((name) => /^[\w-]+$/.test(name)),
  },
};

/** The caller of a request, and what the signature states about its body. */
export interface VerifiedS3Request {
  /** The signer. `undefined`: the request is not signed. */
  readonly principal: Principal | undefined;
  readonly accessKey: string | undefined;
  readonly payload: Payload;
}

export interface S3Verifier {
  /** Whether a request has an S3 signature, valid or not. Signatures of forms do not count. */
  isSigned(request: SignedRequest): boolean;
  /** Verifies a request signed in its header or query. Rejects with a {@link SignatureError}. */
  verify(request: SignedRequest): Promise<VerifiedS3Request>;
  /** Verifies a form that uploads an object (POST). Rejects with a {@link SignatureError}. */
  verifyForm(form: SignedForm): Promise<FormUpload>;
}

/**
 * Verifies the signatures of S3 requests, Signature Version 4:
 *
 * ```ts
 * const verifier = s3Verifier({ credentials: { AKEXAMPLE: { secret, principal } } });
 * const { principal, payload } = await verifier.verify(request);
 * for await (const piece of payload.open(body)) await write(piece);
 * ```
 */
export function s3Verifier(options: S3VerifierOptions): S3Verifier {
  checkOptions('s3Verifier()', options, OPTIONS);
  checkCredentials(options.credentials);
  const { credentials, regions = [DEFAULT_REGION] } = options;
  const keys = new SigningKeys();
  const verifySigned = async (
    request: SignedRequest,
    headers: HeaderFields,
    query: QueryFields,
    place: 'header' | 'query',
  ): Promise<VerifiedS3Request> => {
    const claims = (place === 'header' ? headerClaims : queryClaims)(headers, query, request.now);
    requireRegion(claims, regions, place);
    requireAllSigned(claims, headers);
    const mode = payloadMode(headers, query, place);
    const { timestamp, scope, signature, accessKey } = claims;
    // What takes long comes first: the caller gives other requests a turn before each call.
    const forms = canonicalForms(request, headers, query, claims, mode);
    const { secret, credential } = await findCredential(credentials, accessKey);
    const key = keys.keyFor(secret, scope);
    const isGood = forms.some((canonical) =>
      isSame(signature, hmacHex(key, stringToSign(timestamp, scope, canonical))),
    );
    const principal = requireCredential(claims, credential, isGood);
    const signing = () => new ChunkSigning(key, timestamp, scopeText(scope), signature);
    return { principal, accessKey, payload: payloadOf(mode, headers, signing) };
  };
  return {
    isSigned: carriesSignature,
    async verify(request) {
      const headers = new HeaderFields(request);
      const query = new QueryFields(request.rawQuery);
      const place = signatureOf(headers, query);
      if (place !== undefined) return verifySigned(request, headers, query, place);
      const payload = payloadOf(payloadMode(headers, query, 'none'), headers, undefined);
      return { principal: undefined, accessKey: undefined, payload };
    },
    verifyForm: (form) =>
      verifyForm(form, {
        async current(claims, policy) {
          requireRegion(claims, regions, 'form');
          const { secret, credential } = await findCredential(credentials, claims.accessKey);
          const isGood = isSame(
            claims.signature,
            hmacHex(signingKey(secret, claims.scope), policy),
          );
          return requireCredential(claims, credential, isGood);
        },
        async old(claims, policy) {
          const { secret, credential } = await findCredential(credentials, claims.accessKey);
          const isGood = isSame(claims.signature, hmacSha1Base64(secret, policy));
          return requireCredential(claims, credential, isGood);
        },
      }),
  };
}

function requireRegion(
  { scope: { region } }: Claims,
  regions: readonly string[],
  place: 'header' | 'query' | 'form',
): void {
  if (regions.includes(region)) return;
  const code =
    place === 'header' ? 'AuthorizationHeaderMalformed' : 'AuthorizationQueryParametersError';
  const [expected = ''] = regions;
  const message = `The region of the credential must be ${regions.join(' or ')}.`;
  throw new SignatureError(code, message, { Region: expected });
}

/** All headers of S3 except one that CloudFront adds to requests. */
const MUST_BE_SIGNED = /^x-amz-(?!cf-id$)/;

/** An unsigned header, such as a copy source, could change what a signed request does. */
function requireAllSigned({ signedHeaders }: RequestClaims, headers: HeaderFields): void {
  const signed = new Set(signedHeaders);
  for (const name of headers.names()) {
    if (!MUST_BE_SIGNED.test(name) || signed.has(name)) continue;
    const message = 'The request has an unsigned x-amz- header.';
    throw new SignatureError('AccessDenied', message, { HeadersNotSigned: name });
  }
  const absent = signedHeaders.find((name) => headers.signed(name) === undefined);
  if (absent !== undefined) {
    const message = `The signed header ${absent} is missing.`;
    throw new SignatureError('SignatureDoesNotMatch', message);
  }
  headers.one('host');
}

/** The value of `x-amz-content-sha256`, which is required only if the header has the signature. */
function payloadMode(
  headers: HeaderFields,
  query: QueryFields,
  place: 'header' | 'query' | 'none',
): string {
  const inHeader = headers.one('x-amz-content-sha256');
  const inQuery = place === 'query' ? query.one('x-amz-content-sha256') : undefined;
  const mode = inHeader ?? inQuery ?? (place === 'header' ? undefined : UNSIGNED);
  if (mode === undefined) {
    const message = 'A signed request needs the header x-amz-content-sha256.';
    throw new SignatureError('InvalidRequest', message);
  }
  if (inQuery !== undefined && inQuery !== mode) {
    const message = 'x-amz-content-sha256 differs in header and query.';
    throw new SignatureError('InvalidRequest', message);
  }
  requireKnownMode(mode);
  return mode;
}

/**
 * The canonical request with the path as it was sent, and with the path as AWS encodes it, because
 * some HTTP libraries change the encoding after signing. Both refer to the same object.
 */
function canonicalForms(
  { method, rawPath }: SignedRequest,
  headers: HeaderFields,
  query: QueryFields,
  { signedHeaders }: RequestClaims,
  payloadHash: string,
): readonly string[] {
  const parts = {
    method,
    query: canonicalQuery(query),
    headers: canonicalHeaders(signedHeaders, headers),
    signedHeaders: signedHeaders.join(';'),
    payloadHash,
  };
  const path = rawPath || '/';
  const asSent = canonicalRequest({ ...parts, path });
  const encoded = canonicalPath(path);
  return encoded === path ? [asSent] : [asSent, canonicalRequest({ ...parts, path: encoded })];
}
