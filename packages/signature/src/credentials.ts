import { randomBytes } from 'node:crypto';
import { kinds, type OptionKind, type Principal } from '@bucketware/core/contracts';
import { SignatureError } from './errors.js';
import { isSame } from './hashes.js';

export interface Credential {
  readonly secret: string;
  /** Whose requests are signed with the secret. */
  readonly principal: Principal;
  /** Of a temporary credential: requests must bring the same one. */
  readonly sessionToken?: string | undefined;
}

/**
 * The credentials of all callers: an object from access key id to credential, or a look-up that
 * returns undefined for an unknown one.
 */
export type Credentials =
  | Readonly<Record<string, Credential>>
  | ((accessKey: string) => Credential | undefined | Promise<Credential | undefined>);

export const CREDENTIALS: OptionKind = kinds.required({
  is: 'an object from access key ids to credentials, or a function that looks one up',
  fits: (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
});

/** Signs for access keys that nobody has, so that an unknown key takes no less time than a known one. */
const DECOY = randomBytes(30).toString('base64');

export interface Found {
  readonly secret: string;
  /** Undefined: nobody has the access key, and the secret is a random one. */
  readonly credential: Credential | undefined;
}

export async function findCredential(credentials: Credentials, accessKey: string): Promise<Found> {
  const credential = await lookUp(credentials, accessKey);
  if (credential === undefined) return { secret: DECOY, credential };
  const { secret } = credential;
  // Everybody can sign with an empty secret.
  if (typeof secret !== 'string' || secret === '') {
    throw new TypeError('A credential needs a secret: text that is not empty.');
  }
  return { secret, credential };
}

function lookUp(credentials: Credentials, accessKey: string) {
  if (typeof credentials === 'function') return credentials(accessKey);
  return Object.hasOwn(credentials, accessKey) ? credentials[accessKey] : undefined;
}

/** What is wrong is decided only here, after the same work for all. */
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
    throw new SignatureError('InvalidToken', 'The session token is not that of the access key.');
  }
  return credential.principal;
}
