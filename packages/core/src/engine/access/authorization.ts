import type { AccessQuestion, Authorize } from '../../contracts/principal.js';
import { StorageError } from '../../errors.js';
import type { SignalOf } from '../concurrency/when-aborted.js';
import type { Actor } from '../events.js';
import type { ObjectRecord } from '../records/objects.js';
import type { Store } from '../store.js';
import { type AccessRequest, decide } from './decision.js';

/** The caller, its operation, and the app's own access rule. */
export interface Caller extends Actor {
  readonly store: Store;
  /** Whether a caller who may only replace objects may use the operation. */
  readonly modifies: boolean;
  /** The app's own access rule. */
  readonly authorize: Authorize | undefined;
  /** Whether the caller is the app itself: then nothing is checked. */
  readonly trusted: boolean;
  /** Aborts when the client disconnects. */
  readonly signal: SignalOf;
  /** Calls the app's own rule without keeping others waiting. */
  ask: ((rule: Ask) => Promise<boolean>) | undefined;
}

/** Calls the app's own rule. */
export type Ask = () => Promise<boolean> | boolean;

/** A permission on a bucket, or on one of its objects. */
export interface Right extends Omit<AccessRequest, 'principal' | 'bucket'> {
  /** `undefined` for the service itself. */
  readonly bucketName?: string;
  /** Whether the object's own list applies. */
  readonly readsObject?: boolean;
  readonly source?: boolean;
  /** The announced size of the request's data, in bytes. */
  readonly size?: number | undefined;
  /** How many bytes the request takes from the object. */
  readonly sizeOf?: ((object: ObjectRecord) => number | undefined) | undefined;
  /** A second operation in the same request, such as PutObjectAcl. */
  readonly as?: string | undefined;
}

const ANONYMOUS =
  'Anonymous callers are not allowed to do this. Log in, or sign the request. A form needs a signed policy.';

/**
 * Checks rights to something that does not exist yet, and to the service itself. Throws
 * AccessDenied.
 */
export async function requireRight(caller: Caller, right: Right): Promise<void> {
  if (caller.trusted) return;
  const lists = { grants: [], settings: caller.store.settings };
  const request = { ...right, bucket: undefined, principal: caller.principal };
  const allowed = decide(request, lists) === 'yes';
  if (!(await askHost(caller, right, allowed))) throw denied(caller, right);
}

/** Calls the app's own rule, whose decision is final. */
export async function askHost(
  { operation, principal, authorize, ask }: Caller,
  { as = operation, permission, bucketName, key, source = false, size }: Right,
  allowed: boolean,
): Promise<boolean> {
  if (authorize === undefined) return allowed;
  const question = {
    operation: as,
    permission,
    bucket: bucketName || undefined,
    key: key || undefined,
    source,
    size,
    principal,
    allowed,
  };
  const rule = () => call(authorize, question);
  return ask === undefined ? rule() : ask(rule);
}

/**
 * Errors of the rule never become the response, even those that it got from the storage: a
 * NoSuchKey would look as if the requested object did not exist.
 */
function call(authorize: Authorize, question: AccessQuestion): Promise<boolean> | boolean {
  const fail = (cause: unknown): never => {
    throw new StorageError('InternalError', undefined, { cause });
  };
  try {
    const answer: unknown = authorize(question);
    // A promise of another library is an object with `then`.
    if (typeof answer !== 'object') return answer === true;
    return Promise.resolve<unknown>(answer).then((allowed) => allowed === true, fail);
  } catch (cause) {
    return fail(cause);
  }
}

/**
 * The AccessDenied with the advice for this caller. The sender of a form counts as anonymous even
 * when logged in.
 */
export function denied({ principal, authorize }: Caller, { source }: Right): StorageError {
  if (source) return new StorageError('AccessDenied', 'You are not allowed to use the source.');
  if (principal === undefined) return new StorageError('AccessDenied', ANONYMOUS);
  return new StorageError('AccessDenied', authorize && 'The rules of this app do not allow this.');
}
