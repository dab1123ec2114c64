import { randomBytes } from 'node:crypto';
import {
  type Credential,
  CredentialError,
  type Credentials,
  checkCredential,
  type Principal,
} from '@bucketware/core/contracts';
import { SignatureError } from './errors.js';
import { isSame } from './hashes.js';
import type { Signer } from './target.js';

/** Used for unknown access keys, so that checking them takes as long as checking known ones. */
const DECOY = randomBytes(30).toString('base64');

export interface Found {
  readonly secret: string;
  /** `undefined` if the access key is unknown. The secret is then random. */
  readonly credential: Credential | undefined;
}

export async function findCredential(credentials: Credentials, accessKey: string): Promise<Found> {
  const found = await lookUp(credentials, accessKey);
  if (found === undefined || found === null) return { secret: DECOY, credential: undefined };
  const credential = checkCredential(accessKey, found);
  return { secret: credential.secret, credential };
}

async function lookUp(credentials: Credentials, accessKey: string) {
  if (typeof credentials !== 'function') {
    return Object.hasOwn(credentials, accessKey) ? credentials[accessKey] : undefined;
  }
  try {
    return await credentials(accessKey);
  } catch (cause) {
    if (cause instanceof SignatureError) throw cause;
    // An error that the app got from the storage must not become the response.
    throw new CredentialError(
      `The credential of the access key ${accessKey} could not be looked up.`,
      { cause },
    );
  }
}

/** Looks up the signer with an access key. Rejects with a `TypeError` if the key is unknown. */
export async function signerOf(credentials: Credentials, accessKey: string): Promise<Signer> {
  const { secret, credential } = await findCredential(credentials, accessKey);
  if (credential === undefined) {
    throw new TypeError(`The credentials have no access key ${accessKey}.`);
  }
  return { accessKey, secret, sessionToken: credential.sessionToken };
}

/** Throws what is wrong. Called last, after the same work in every case. */
export function requireCredential(
  {
    accessKey,
    sessionToken,
  }: { readonly accessKey: string; readonly sessionToken: string | undefined },
  credential: Credential | undefined,
  isGood: boolean,
): Principal {
  const details = { AWSAccessKeyId: accessKey };
  if (credential === undefined) {
    throw new SignatureError('InvalidAccessKeyId', 'There is no such access key.', details);
  }
  if (!isGood) {
    const message =
      'The signature does not match. Check the secret key, the method, the path and the headers.';
    throw new SignatureError('SignatureDoesNotMatch', message, details);
  }
  if (!isSame(sessionToken ?? '', credential.sessionToken ?? '')) {
    throw new SignatureError(
      'InvalidToken',
      'The session token does not belong to the access key.',
    );
  }
  return credential.principal;
}
