import type { Principal } from './principal.js';

/** The owner of buckets that the app itself creates. */
export const SYSTEM: Principal = {
  tenantCode: 'system',
  tenantId: '0',
  userId: 'system',
  userName: 'system',
};

const FIELDS = ['tenantCode', 'tenantId', 'userId', 'userName'] as const;
/** The results of `String(user.id)` when the user has no id, or the id is not a string. */
export const ACCIDENTAL = /^(undefined|null|NaN|\[object .*\])$/;
const MAX_LENGTH = 256;
/** The maximum length after percent-encoding: tenant and user are part of record keys. */
const MAX_ENCODED = 500;

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
export function fieldsOf(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const { tenantCode, tenantId, userId, userName } = given as Principal;
  return { tenantCode, tenantId, userId, userName };
}

/**
 * Why a value is not a principal, as the end of the sentence "The principal ..."; `undefined` if it
 * is one. If anything else were accepted, all users without an id would be the same owner.
 */
export function problemOfPrincipal(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null) {
    return `is ${given === null ? 'null' : typeof given}`;
  }
  const fields = given as Readonly<Record<string, unknown>>;
  for (const name of FIELDS) {
    if (fields[name] === undefined) return `has no ${name}`;
    const problem = problemOfField(fields[name]);
    if (problem !== undefined) return `has a ${name} that ${problem}`;
  }
  const { tenantId, userId } = given as Principal;
  for (const [name, id] of Object.entries({ tenantId, userId })) {
    if (ACCIDENTAL.test(id)) return `has the ${name} '${id}', which is a mistake, not an id`;
  }
  if (tenantId === SYSTEM.tenantId && userId === SYSTEM.userId) {
    return 'has the ids that are reserved for the app itself';
  }
  return undefined;
}

function problemOfField(value: unknown): string | undefined {
  if (typeof value !== 'string')
    return `is ${value === null ? 'null' : `of type ${typeof value}`}, not a string`;
  if (value === '') return 'is empty';
  if (value.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!value.isWellFormed()) return 'is not well-formed text';
  if (value === '*') return "is '*', which means everyone in access control lists";
  // Percent-encoding turns one character into at most nine.
  if (9 * value.length > MAX_ENCODED && encodeURIComponent(value).length > MAX_ENCODED) {
    return `is longer than ${MAX_ENCODED} characters when it is percent-encoded`;
  }
  return undefined;
}
