import type { Principal } from '../../contracts/principal.js';
import { problemOfPrincipal, SYSTEM } from '../../contracts/principal-form.js';
import { StorageError } from '../../errors.js';

export { SYSTEM };

/**
 * The principal that the app returned, reduced to its four fields. `undefined`, `null` and `false`
 * mean an anonymous caller: logins return them when no user is logged in.
 *
 * Throws a TypeError that names the wrong field for anything else.
 */
export function checkPrincipal(given: unknown): Principal | undefined {
  if (given === undefined || given === null || given === false) return undefined;
  const problem = problemOfPrincipal(given);
  if (problem !== undefined) {
    throw new TypeError(
      `The principal ${problem}. Return { tenantCode, tenantId, userId, userName }, four non-empty ` +
        'strings, for a caller who is logged in, and undefined for an anonymous one.',
    );
  }
  const { tenantCode, tenantId, userId, userName } = given as Principal;
  return { tenantCode, tenantId, userId, userName };
}

/**
 * The same for a request: if the app returned anything else, the request fails with a message that
 * says what to return. An error that the app got from the storage does not become the response: a
 * NoSuchKey would look as if the requested object did not exist.
 */
export async function readPrincipal(
  ask: () => unknown | Promise<unknown>,
): Promise<Principal | undefined> {
  const given = await resultOf(ask);
  try {
    return checkPrincipal(given);
  } catch (cause) {
    throw new StorageError('InternalError', (cause as Error).message, { cause });
  }
}

async function resultOf(ask: () => unknown | Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new StorageError('InternalError', undefined, { cause: error });
  }
}
