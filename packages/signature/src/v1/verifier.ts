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
import { hmacHex, isSame } from '../hashes.js';
import { HeaderFields, QueryFields } from '../request.js';
import {
  canonicalHeaders,
  canonicalQuery,
  DEFAULT_SCHEME,
  isSignedByDefault,
  signatureOf,
} from './canonical.js';
import { authorizationOf, type Claims, readClaims, requireValidAt } from './claims.js';
import { verifyForm } from './form.js';

export interface V1VerifierOptions {
  readonly credentials: Credentials;
  /**
   * The prefix of the interface's own headers. It must equal the `headerPrefix` of the storage,
   * which is `x-svc-` by default: with another prefix, these headers could be sent unsigned.
   */
  readonly headerPrefix: string;
  /** The first field of a signature. Default `bce-auth-v1`. */
  readonly scheme?: string | undefined;
}

const SCHEME_OPTIONS = { credentials: kinds.required(CREDENTIALS), scheme: kinds.text };

const OPTIONS: KnownOptions<V1VerifierOptions> = {
  ...SCHEME_OPTIONS,
  headerPrefix: kinds.required(kinds.text),
};

export function checkSchemeOptions(what: string, options: { credentials: Credentials }): void {
  checkOptions(what, options, SCHEME_OPTIONS);
  checkCredentials(options.credentials);
}

export interface VerifiedV1Request {
  /** The signer. `undefined`: the request is not signed. */
  readonly principal: Principal | undefined;
  readonly accessKey: string | undefined;
}

export interface V1Verifier {
  /** Whether a request has a signature of this kind, valid or not. */
  isSigned(request: SignedRequest): boolean;
  /** Verifies a request signed in its header or query. Rejects with a {@link SignatureError}. */
  verify(request: SignedRequest): Promise<VerifiedV1Request>;
  /** Verifies a form that uploads an object (POST). Rejects with a {@link SignatureError}. */
  verifyForm(form: SignedForm): Promise<FormUpload>;
}

/**
 * Verifies the v1 signature of the JSON interface. The path is signed without the prefix of the
 * mount, because clients know only what is below their endpoint.
 *
 * ```ts
 * const verifier = v1Verifier({ headerPrefix: 'x-svc-', credentials });
 * const { principal } = await verifier.verify(request);
 * ```
 */
export function v1Verifier(options: V1VerifierOptions): V1Verifier {
  checkOptions('v1Verifier()', options, OPTIONS);
  checkCredentials(options.credentials);
  const { credentials, scheme = DEFAULT_SCHEME } = options;
  const headerPrefix = options.headerPrefix.toLowerCase();
  return {
    isSigned(request) {
      const values = new HeaderFields(request).all('authorization');
      const query = new QueryFields(request.rawQuery).parameters;
      const inQuery = query.filter(({ key }) => key === 'authorization');
      return (
        values.some((value) => value.startsWith(`${scheme}/`)) ||
        inQuery.some(({ value }) => value.startsWith(`${scheme}%2F`))
      );
    },
    async verify(request) {
      const headers = new HeaderFields(request);
      const query = new QueryFields(request.rawQuery);
      const text = authorizationOf(headers, query);
      if (text === undefined) return { principal: undefined, accessKey: undefined };
      const claims = readClaims(text, scheme);
      requireValidAt(request.now, claims);
      requireAllSigned(claims, headers, headerPrefix);
      // What takes long comes first: the caller gives other requests a turn before each call.
      const canonical = canonicalRequest(request, headers, query, claims, headerPrefix);
      const { secret, credential } = await findCredential(credentials, claims.accessKey);
      const isGood = isSame(claims.signature, signatureOf(secret, claims.authPrefix, canonical));
      const sessionToken = tokenOf(headers, query, `${headerPrefix}security-token`);
      const { accessKey } = claims;
      return {
        principal: requireCredential({ accessKey, sessionToken }, credential, isGood),
        accessKey,
      };
    },
    verifyForm: (form) =>
      verifyForm(form, headerPrefix, async (claims, policy) => {
        const { secret, credential } = await findCredential(credentials, claims.accessKey);
        const isGood = isSame(claims.signature, hmacHex(secret, policy));
        return requireCredential(claims, credential, isGood);
      }),
  };
}

/**
 * Without this check, anyone could add an unsigned header, such as a copy source, to a request with
 * a presigned URL.
 */
function requireAllSigned({ signedHeaders }: Claims, headers: HeaderFields, prefix: string): void {
  if (headers.one('host') === undefined) {
    throw new SignatureError('InvalidHTTPAuthHeader', 'A signed request needs the header Host.');
  }
  if (signedHeaders.length === 0) return;
  const signed = new Set(signedHeaders);
  const unsigned = [...headers.names()].find(
    (name) => name.startsWith(prefix) && !signed.has(name) && headers.one(name) !== '',
  );
  if (unsigned !== undefined) {
    throw new SignatureError('SignatureDoesNotMatch', `The header ${unsigned} must be signed.`);
  }
}

function canonicalRequest(
  { method, rawPath, mount = '' }: SignedRequest,
  headers: HeaderFields,
  query: QueryFields,
  { signedHeaders }: Claims,
  prefix: string,
): string {
  if (!rawPath.startsWith(mount)) throw new TypeError('The path is not below the mount.');
  const names =
    signedHeaders.length > 0
      ? new Set(signedHeaders)
      : [...headers.names()].filter((name) => isSignedByDefault(name, prefix));
  const fields = Array.from(names, (name) => [name, headers.all(name).join(',')] as const);
  const path = canonicalPath(rawPath.slice(mount.length) || '/');
  return [method.toUpperCase(), path, canonicalQuery(query), canonicalHeaders(fields)].join('\n');
}

function tokenOf(headers: HeaderFields, query: QueryFields, name: string): string | undefined {
  const [inHeader, inQuery] = [headers.one(name), query.one(name)];
  if (inHeader === undefined || inQuery === undefined || inHeader === inQuery) {
    return inHeader ?? inQuery;
  }
  throw new SignatureError('InvalidHTTPAuthHeader', `${name} differs in header and query.`);
}
