import { findUnknownName, isPlainObject, kinds, type OptionKind } from '../options.js';
import type { Principal } from './principal.js';
import { ACCIDENTAL, problemOfPrincipal } from './principal-form.js';

/** The secret of an access key, and the principal that signs with it. */
export interface Credential {
  /** The secret key, which must not be empty. */
  readonly secret: string;
  /** The caller of requests that are signed with the secret. */
  readonly principal: Principal;
  /** For a temporary credential: requests must send the same token. */
  readonly sessionToken?: string;
}

/**
 * The credentials of all callers: an object that maps access keys to credentials, or a function
 * that looks up an access key and returns `undefined` or `null` if it is unknown.
 */
export type Credentials =
  | Readonly<Record<string, Credential>>
  | ((accessKey: string) => LookedUp | Promise<LookedUp>);

type LookedUp = Credential | undefined | null;

/** The allowed values of the option `credentials`. */
export const CREDENTIALS: OptionKind = {
  is:
    'an object that maps access keys to { secret, principal }, or a function that looks one up and may ' +
    'return a promise',
  fits: (value) => kinds.aFunction.fits(value) || isPlainObject(value),
};

/** Thrown for a credential that cannot be used. The message says what is wrong with it. */
export class CredentialError extends TypeError {
  override readonly name = 'CredentialError';
}

const FIELDS: readonly (keyof Credential)[] = ['secret', 'principal', 'sessionToken'];

/**
 * Throws a {@link CredentialError} for anything that is not a credential, and for unknown fields:
 * with a misspelled or undefined `sessionToken`, for example, no token would be required.
 */
export function checkCredential(accessKey: string, given: unknown): Credential {
  const problem = isAccidental(accessKey) ? 'has no access key.' : problemOf(given);
  if (problem === undefined) return given as Credential;
  throw new CredentialError(`The credential of the access key ${accessKey} ${problem}`);
}

/** Checks the object form of `credentials` once. The result of a look-up is checked each time. */
export function checkCredentials(credentials: Credentials): void {
  if (typeof credentials === 'function') return;
  for (const [accessKey, given] of Object.entries(credentials)) checkCredential(accessKey, given);
}

/** What a template string makes of a variable that is not set. Anyone could guess it. */
const isAccidental = (text: string): boolean => text.trim() === '' || ACCIDENTAL.test(text);

function problemOf(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null) return 'must be { secret, principal }.';
  const unknownName = findUnknownName(given, FIELDS);
  if (unknownName !== undefined) return `has an unknown field: ${unknownName}`;
  const { secret, principal, sessionToken } = given as Readonly<Record<string, unknown>>;
  // Anyone can sign with an empty secret.
  if (!kinds.text.fits(secret)) return 'needs a secret: a non-empty string.';
  if (isAccidental(secret as string)) {
    return 'needs a secret. It is blank, or a word such as undefined: is a variable not set?';
  }
  if ('sessionToken' in given && !kinds.text.fits(sessionToken)) {
    return 'has a sessionToken that is not a non-empty string. Leave it out for a permanent credential.';
  }
  if (principal === undefined) return 'needs a principal: the caller of requests that it signs.';
  const wrong = problemOfPrincipal(principal);
  if (wrong === undefined) return undefined;
  return (
    `has an invalid principal: it ${wrong}. Pass { tenantCode, tenantId, userId, userName }, four ` +
    'non-empty strings.'
  );
}
