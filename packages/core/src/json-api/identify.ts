import type { SignatureResult, Signatures } from '../contracts/signatures.js';
import { StorageError } from '../errors.js';
import { meant } from '../http/allow-list.js';
import type { Identified, Login, UnderstoodRequest } from '../http/dialect.js';
import type { Query } from '../http/query.js';
import { signedRequests } from '../http/signed-requests.js';

/** Query parameters of a signed URL: the signature, and perhaps a session token. */
export const isSignature = (name: string): boolean =>
  /^(?:authorization|x-[a-z0-9-]+-security-token)$/i.test(name);

/** Whoever signed the request is its caller. The host's login is asked about all others. */
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

async function verify(
  signatures: Signatures,
  about: UnderstoodRequest,
): Promise<SignatureResult | undefined> {
  let first: SignatureResult | undefined;
  for (const request of signedRequests(about)) {
    const result = await signatures.verify(request);
    first ??= result;
    const isAnotherAddress =
      result !== undefined && 'code' in result && result.code === 'SignatureDoesNotMatch';
    if (!isAnotherAddress) return result;
  }
  return first;
}

/**
 * The host's login may handle signed URLs itself. If it did not identify the signer, the caller must
 * not be treated as anonymous.
 */
export async function identifyByLogin(
  { query }: UnderstoodRequest,
  login: Login,
): Promise<Identified> {
  const principal = await login();
  if (principal !== undefined || !isSigned(query)) return { principal };
  const message =
    'Signed URLs are not supported here. Send credentials in a header, or ask the host to set the ' +
    'option credentials.';
  throw new StorageError('NotImplemented', message);
}

const isSigned = (query: Query): boolean =>
  query.size > 0 && [...query.names()].map(meant).some(isSignature);
