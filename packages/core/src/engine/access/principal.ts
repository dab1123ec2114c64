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
  const fields = fieldsOf(given);
  if (fields === undefined || fields === null || fields === false) return undefined;
  const problem = problemOfPrincipal(fields);
  if (problem !== undefined) {
    throw new TypeError(
      `The principal ${problem}. Return { tenantCode, tenantId, userId, userName }, four non-empty ` +
        'strings, for a caller who is logged in, and undefined for an anonymous one.',
    );
  }
  return fields as Principal;
}

/** The four fields of an object, each read once: the object may compute them. */
function fieldsOf(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const { tenantCode, tenantId, userId, userName } = given as Principal;
  return { tenantCode, tenantId, userId, userName };
}

/**
 * The same for a request: if the app returned anything else, the request fails with a message that
 * says what to return. An error of the app itself does not become the response: it may contain
 * secrets, and a NoSuchKey would look as if the requested object did not exist.
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

/** What the app returned, as plain data: nothing of the app runs after this. */
async function resultOf(ask: () => unknown | Promise<unknown>): Promise<unknown> {
  try {
    return fieldsOf(await ask());
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new StorageError('InternalError', undefined, { cause: error });
  }
}
