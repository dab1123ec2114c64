import type { Principal } from '../../contracts/principal.js';
import { StorageError } from '../../errors.js';

/** The owner of buckets that the host creates itself. */
export const SYSTEM: Principal = {
  tenantCode: 'system',
  tenantId: '0',
  userId: 'system',
  userName: 'system',
};

const FIELDS = ['tenantCode', 'tenantId', 'userId', 'userName'] as const;
/** The results of `String(user.id)` when the user has no id, or the id is not a string. */
const ACCIDENTAL = /^(undefined|null|NaN|\[object .*\])$/;
const MAX_LENGTH = 256;
/** Tenant and user are percent-encoded in the keys of records. */
const MAX_ENCODED = 500;

/**
 * The principal that a host returned, reduced to its four fields. Undefined, null and false are an
 * anonymous caller: logins return them when nobody is logged in.
 *
 * Throws a TypeError that names the wrong field for anything else: if it were accepted, all users
 * without an id would be the same owner.
 */
export function checkPrincipal(given: unknown): Principal | undefined {
  if (given === undefined || given === null || given === false) return undefined;
  if (typeof given !== 'object') throw wrong(`is ${typeof given}`);
  const fields = given as Readonly<Record<string, unknown>>;
  for (const name of FIELDS) {
    const problem = problemOf(fields[name]);
    if (problem !== undefined) throw wrong(`has a ${name} that ${problem}`);
  }
  const { tenantCode, tenantId, userId, userName } = given as Principal;
  requireMeant('tenantId', tenantId);
  requireMeant('userId', userId);
  if (tenantId === SYSTEM.tenantId && userId === SYSTEM.userId) {
    throw wrong('has the ids of the host itself, which owns what the program creates');
  }
  return { tenantCode, tenantId, userId, userName };
}

function requireMeant(name: string, id: string): void {
  if (ACCIDENTAL.test(id)) throw wrong(`has the ${name} '${id}', which is no id but a mistake`);
}

/**
 * The same for a request: the host's mistake fails the request with a message that says what to
 * return.
 */
export async function readPrincipal(
  ask: () => unknown | Promise<unknown>,
): Promise<Principal | undefined> {
  const given = await ask();
  try {
    return checkPrincipal(given);
  } catch (cause) {
    throw new StorageError('InternalError', (cause as Error).message, { cause });
  }
}

function problemOf(value: unknown): string | undefined {
  if (value === undefined) return 'is missing';
  if (typeof value !== 'string')
    return `is not a string but ${value === null ? 'null' : typeof value}`;
  if (value === '') return 'is empty';
  if (value.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!value.isWellFormed()) return 'is not well-formed text';
  if (value === '*') return "is '*', which stands for everybody in access control lists";
  // One character becomes at most nine.
  if (9 * value.length > MAX_ENCODED && encodeURIComponent(value).length > MAX_ENCODED) {
    return `is longer than ${MAX_ENCODED} characters when it is percent-encoded`;
  }
  return undefined;
}

const wrong = (problem: string): TypeError =>
  new TypeError(
    `The principal ${problem}. Return { tenantCode, tenantId, userId, userName }, four non-empty ` +
      'strings, for a caller who is logged in, and undefined for an anonymous one.',
  );
