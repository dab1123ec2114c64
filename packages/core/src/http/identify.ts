import { CredentialError } from '../contracts/credentials.js';
import type { Principal } from '../contracts/principal.js';
import { SignatureError } from '../contracts/signature-error.js';
import { readPrincipal } from '../engine/access/principal.js';
import { type ErrorCode, StorageError } from '../errors.js';
import type { Dialect, Identified, Login, UnderstoodRequest } from './dialect.js';

/**
 * Identifies the caller. With `loginFirst`, a user of the app's own login is the caller even of a
 * signed request. The signature is verified nevertheless: in some dialects, it covers the body.
 */
export async function identify(
  dialect: Dialect,
  about: UnderstoodRequest,
  login: Login,
  loginFirst: boolean,
): Promise<Identified> {
  try {
    return await identifyCaller(dialect, about, login, loginFirst);
  } catch (error) {
    throw answerable(error);
  }
}

/**
 * Configuration mistakes, such as an invalid principal, are reported unchanged. A SignatureError
 * from the app's own login becomes the usual error for clients.
 */
function answerable(error: unknown): unknown {
  if (error instanceof CredentialError) {
    return new StorageError('InternalError', error.message, { cause: error });
  }
  if (!(error instanceof SignatureError)) return error;
  return new StorageError(REFUSALS[error.code] ?? 'InvalidHTTPAuthHeader', error.message);
}

const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  AccessDenied: 'AccessDenied',
  InvalidAccessKeyId: 'InvalidAccessKeyId',
  InvalidToken: 'InvalidSessionToken',
  RequestExpired: 'RequestExpired',
  RequestTimeTooSkewed: 'RequestTimeTooSkewed',
  SignatureDoesNotMatch: 'SignatureDoesNotMatch',
};

async function identifyCaller(
  dialect: Dialect,
  about: UnderstoodRequest,
  login: Login,
  loginFirst: boolean,
): Promise<Identified> {
  if (!loginFirst || about.operation.loginInBody) return identifySigner(dialect, about, login);
  const user = await login();
  const identified = await identifySigner(dialect, about, async () => user);
  return user === undefined ? identified : { ...identified, principal: user, bySignedUrl: false };
}

/** The principal of an access key also comes from the app, and is checked like that of a login. */
async function identifySigner(
  dialect: Dialect,
  about: UnderstoodRequest,
  login: Login,
): Promise<Identified> {
  let user: Principal | undefined;
  const identified = await dialect.identify(about, async () => {
    user = await login();
    return user;
  });
  const { principal } = identified;
  if (principal === user) return identified;
  return { ...identified, principal: await readPrincipal(() => principal) };
}
