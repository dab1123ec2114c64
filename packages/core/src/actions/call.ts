import type { Authorize, Permission, Principal } from '../contracts/principal.js';
import { type Grant, type Grantee, isEverybody } from '../engine/access/acl.js';
import { type Caller, type Right, requireRight } from '../engine/access/authorization.js';
import { Permit } from '../engine/access/permit.js';
import type { Bucket } from '../engine/buckets/buckets.js';
import { readSubject, type Subject } from '../engine/buckets/subject.js';
import type { Body } from '../engine/content/receive.js';
import type { Store } from '../engine/store.js';
import { StorageError } from '../errors.js';
import type { AnyAction, Call, ObjectName, SubjectKind } from './action.js';
import { withChecksums } from './checksums.js';
import type { Conventions } from './conventions.js';
import type { Parameters } from './parameter.js';

/** A request that was understood so far: who wants to do what. */
export interface Application {
  readonly action: AnyAction;
  /** Empty when the request is about no bucket. */
  readonly bucketName: string;
  /** What was read of it. Undefined when the request is about no bucket. */
  readonly subject: Subject | undefined;
  /** Empty when the request is about no object. */
  readonly key: string;
  readonly requestId: string;
  readonly principal: Principal | undefined;
  /** Undefined unless a CORS rule let a page of another site in. */
  readonly page: ForeignPage | undefined;
  readonly authorize: Authorize | undefined;
  readonly conventions: Conventions;
  /** A program may never read what it gets: bytes are opened by the first read. */
  readonly opensLate: boolean;
  /** The host itself: nothing is asked. */
  readonly trusted: boolean;
  /** The length of the body, where the request has said it. */
  readonly announced: number | undefined;
  /** Aborts when the client has left before it was answered. */
  readonly signal: () => AbortSignal | undefined;
}

/**
 * A page of another site that the CORS rules of a bucket let in. They are the word of who owns that
 * bucket, which need not be who visits the page: so they open that bucket, and no other.
 */
export interface ForeignPage {
  /** Throws AccessDenied when the browser sent a login by itself: it is not for a bucket's settings. */
  refuseControl(): void;
  /** Throws AccessDenied when the bucket's rules do not allow this page a method. */
  requireMethod(store: Store, bucket: Bucket, method: string): Promise<void>;
}

/** A call that lacks only its body. */
export type AdmittedCall = Omit<Call<SubjectKind, Parameters>, 'body' | 'permit'> & {
  readonly permit: Permit | undefined;
};

/** So often a read begins anew when the settings of its bucket change under it. */
const MAX_TRIES = 20;

/** The inputs that set an access control list. */
const ACL_INPUTS = ['acl', 'grantRead', 'grantFullControl'];

/**
 * Asks whether the caller may, and only then reads the input. Sources and members of a batch are
 * asked about by the action, through the same rule.
 */
export async function admit(
  store: Store,
  application: Application,
  readInput: () => unknown,
): Promise<AdmittedCall> {
  const { action, bucketName, key, principal, requestId, page } = application;
  const { permission, on, removes } = action;
  const exists = on === 'bucket' || on === 'object';
  const subject = exists ? application.subject : undefined;
  const bucket = subject?.bucket;
  if (exists && bucket === undefined) throw new StorageError('NoSuchBucket');

  const caller: Caller = {
    store,
    operation: action.name,
    modifies: action.modifies === true,
    principal,
    authorize: application.authorize,
    trusted: application.trusted,
    requestId,
  };
  const permit = bucket && new Permit(caller, { ...(subject as Subject), bucket });
  const require = (right: Right): Promise<void> | void => {
    if (right.permission === 'FULL_CONTROL') page?.refuseControl();
    return permit ? permit.require(right) : requireRight(caller, { ...right, bucketName });
  };
  const rightTo = (needed: Permission): Right => ({
    permission: needed,
    key,
    readsObject: needed === 'READ' && on === 'object',
  });

  // Each object of a batch is asked about; who could touch none need not send it.
  if (permission === 'each') {
    await permit?.requireSome('WRITE');
    // It is sent with POST, and deletes.
    if (bucket !== undefined) await page?.requireMethod(store, bucket, 'DELETE');
  } else if (permission !== 'NONE') {
    const size = action.takes === 'bytes' ? application.announced : undefined;
    await require({ permission, key, readsObject: action.readsObject === true, removes, size });
  }
  const input = (await readInput()) as AdmittedCall['input'];
  // Who sets a list with another action needs what the action for lists needs.
  const { setsAcl } = action;
  if (setsAcl !== undefined && ACL_INPUTS.some((name) => input[name] !== undefined)) {
    await require({ permission: 'FULL_CONTROL', key, as: setsAcl });
  }
  if (store.settings.blockPublicAccess && setsPublic(input)) {
    const message = 'Public access is blocked here. Grant access to users instead of everybody.';
    throw new StorageError('AccessDenied', message);
  }
  return {
    store,
    input,
    bucket,
    permit,
    bucketName,
    key,
    principal,
    conventions: application.conventions,
    opensLate: application.opensLate,
    signal: application.signal,
    reading: (task) =>
      application.trusted ? task() : store.copyLimit.run(callerId(principal), task),
    needs: async (needed, as) => require({ ...rightTo(needed), as }),
    allows: async (needed) => permit === undefined || permit.allows(rightTo(needed)),
    permitFor: (needed, other) =>
      (permit as Permit).for({ permission: needed, key: other, removes }),
    async source(needed: Permission, from: ObjectName, sizeOf?: Right['sizeOf']) {
      const read = await readSubject(store, from.bucket, from.key);
      const holder = read.bucket;
      if (holder === undefined) throw new StorageError('NoSuchBucket');
      const source = new Permit(caller, { ...read, bucket: holder });
      const moves = needed === 'WRITE';
      const asSource = { readsObject: true, source: true, sizeOf };
      await source.require({ permission: needed, key: from.key, moves, ...asSource });
      // A rename takes the object away from there; a copy reads it, in its own bucket for the caller.
      if (moves) await page?.requireMethod(store, holder, 'DELETE');
      else if (from.bucket !== bucketName) await page?.requireMethod(store, holder, 'GET');
      return source;
    },
    actor: { operation: action.name, principal, requestId },
  };
}

/** Whether a list that is given has a grant to everybody. */
function setsPublic(input: AdmittedCall['input']): boolean {
  const { acl, grantRead, grantFullControl, accessControlList } = input as AclInputs;
  const grants = (accessControlList ?? []).filter(({ effect }) => effect !== 'Deny');
  const grantees = [
    grantRead ?? [],
    grantFullControl ?? [],
    ...grants.map((grant) => grant.grantee),
  ];
  return acl?.startsWith('public') === true || grantees.flat().some(isEverybody);
}

interface AclInputs {
  readonly acl?: string;
  readonly grantRead?: readonly Grantee[];
  readonly grantFullControl?: readonly Grantee[];
  readonly accessControlList?: readonly Grant[];
}

/** By whom turns and memory are counted. All anonymous callers are one. */
export const callerId = (principal: Principal | undefined): string =>
  principal === undefined ? '' : JSON.stringify([principal.tenantId, principal.userId]);

/** A call with its body. */
export type WholeCall = AdmittedCall & { readonly body: Body };

/** Runs an action on a call that has its body now. */
export async function run(
  action: AnyAction,
  call: AdmittedCall,
  body: Body,
): Promise<{ readonly result: unknown; readonly call: WholeCall }> {
  const verified = action.takes === 'bytes' ? withChecksums(body, call.input) : body;
  const whole = Object.assign(call, { body: verified });
  const confirms = action.isRead === true && action.readsObject !== true;
  const result = confirms ? await read(action, whole) : await action.run(whole);
  return { result, call: whole };
}

/**
 * What was only read is answered as long as the caller may see it. It is read again when the settings
 * of its bucket change meanwhile: a right that was taken back and given again was not always there.
 */
async function read(action: AnyAction, call: WholeCall): Promise<unknown> {
  const { permit } = call;
  if (permit === undefined) return action.run(call);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { version } = permit.bucket;
    const result: unknown = await action.run(call);
    await permit.confirm();
    if (permit.bucket.version === version) return result;
  }
  throw new StorageError('ServiceUnavailable');
}
