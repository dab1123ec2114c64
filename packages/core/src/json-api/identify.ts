import type { SignatureResult, Signatures } from '../contracts/signatures.js';
import { StorageError } from '../errors.js';
import { normalizedName } from '../http/allow-list.js';
import type { Identified, Login, UnderstoodRequest } from '../http/dialect.js';
import type { RequestHeaders } from '../http/headers.js';
import type { Query } from '../http/query.js';
import { signedRequests } from '../http/signed-requests.js';
import { MAX_LISTED } from '../limits.js';

/** Whether a query parameter belongs to a signed URL: the signature, or a session token. */
export const isSignature = (name: string): boolean =>
  /^(?:authorization|x-[a-z0-9-]+-security-token)$/i.test(name);

/**
 * The signer of a request is its caller. The app's own login identifies the callers of unsigned
 * requests.
 */
export async function identify(
  signatures: Signatures,
  about: UnderstoodRequest,
  login: Login,
): Promise<Identified> {
  const result = await verify(signatures, about);
  if (result === undefined) return identifyByLogin(about, login);
  if ('code' in result) throw new StorageError(result.code, result.message);
  return { principal: result.principal, bySignedUrl: isSigned(about.query) };
}

/** Verifies the signature of a request. Resolves to `undefined` if the request is not signed. */
export async function verify(
  signatures: Signatures,
  about: UnderstoodRequest,
): Promise<SignatureResult | undefined> {
  let first: SignatureResult | undefined;
  for (const request of signedRequests(about)) {
    const turn = about.yieldIfDue();
    if (turn !== undefined) await turn;
    const result = await signatures.verify(request);
    first ??= result;
    const isAnotherAddress =
      result !== undefined && 'code' in result && result.code === 'SignatureDoesNotMatch';
    if (!isAnotherAddress) return result;
  }
  return first;
}

/**
 * The app's own login may handle signatures itself. If it did not identify the signer of a URL, the
 * caller must not be treated as anonymous.
 */
export async function identifyByLogin(about: UnderstoodRequest, login: Login): Promise<Identified> {
  const { query, headers } = about;
  const principal = await login();
  if (principal !== undefined) requireOwnHeadersSigned(headers, query);
  if (principal !== undefined || !isSigned(query)) return { principal };
  const message =
    'Signed URLs are not supported here. Send credentials in a header, or set the ' +
    'option credentials in the app.';
  throw new StorageError('NotImplemented', message);
}

/** `<scheme>/<access key>/<time>/<seconds>/<signed headers>/<signature>` */
const SIGNATURE = /^[^/\s]+\/[^/]*\/[^/]*\/-?\d+\/([^/]*)\/[\da-f]+$/i;

/**
 * If the app's login verifies signatures but does not know the prefix of these headers, anyone
 * could add an unsigned header, such as a copy source, to another user's signed URL.
 */
function requireOwnHeadersSigned(headers: RequestHeaders, query: Query): void {
  const inUrl = [...query.names()].find((name) => /^authorization$/i.test(name));
  const text = inUrl === undefined ? headers.get('authorization') : query.get(inUrl);
  const [, list] = SIGNATURE.exec(text ?? '') ?? [];
  if (list === undefined || (list === '' && inUrl === undefined)) return;
  const { own, sent } = headers.prefixes;
  const signed = new Set(list.toLowerCase().split(';', MAX_LISTED));
  for (const name of headers.names()) {
    if (!name.startsWith(own) || !headers.has(name)) continue;
    const sentName = sent + name.slice(own.length);
    if (signed.has(sentName)) continue;
    const message = `The header ${sentName} must be one of the signed headers.`;
    throw new StorageError('SignatureDoesNotMatch', message);
  }
}

export const isSigned = (query: Query): boolean =>
  query.size > 0 && [...query.names()].map(normalizedName).some(isSignature);
