import { kinds, type OptionKind } from '../options.js';
import type { Principal } from './principal.js';

/** What belongs to an access key. */
export interface Credential {
  readonly secret: string;
  /** Whose requests are signed with the secret. */
  readonly principal: Principal;
  /** Of a temporary credential: requests must bring the same one. */
  readonly sessionToken?: string | undefined;
}

/**
 * The credentials of all callers: an object from access key to credential, or a look-up that returns
 * undefined for an unknown access key.
 */
export type Credentials =
  | Readonly<Record<string, Credential>>
  | ((accessKey: string) => Credential | undefined | Promise<Credential | undefined>);

/** The allowed values of the option `credentials`. */
export const CREDENTIALS: OptionKind = {
  is:
    'an object from access keys to { secret, principal }, or a function that looks one up and may ' +
    'return a promise',
  fits: (value) => kinds.aFunction.fits(value) || kinds.anObject.fits(value),
};
