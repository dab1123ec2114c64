import type { Principal } from '../../contracts/principal.js';
import { checkPrincipal, fieldsOf, SYSTEM } from '../../contracts/principal-form.js';
import { StorageError } from '../../errors.js';

export { checkPrincipal, SYSTEM };

/**
 * The principal of a request, as {@link checkPrincipal} accepts it. If the app returned anything
 * else, the request fails with a message that says what to return. An error of the app itself does
 * not become the response: it may contain secrets, and a NoSuchKey would look as if the requested
 * object did not exist.
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
