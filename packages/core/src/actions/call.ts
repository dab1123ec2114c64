import type { Permission, Principal } from '../contracts/principal.js';
import { type Ask, type Caller, type Right, requireRight } from '../engine/access/authorization.js';
import { FRESH_FOR } from '../engine/access/granted-right.js';
import { Permit } from '../engine/access/permit.js';
import type { Bucket } from '../engine/buckets/buckets.js';
import { readSubject, type Subject } from '../engine/buckets/subject.js';
import { callerId } from '../engine/concurrency/caller-id.js';
import type { CallerLimit } from '../engine/concurrency/caller-limit.js';
import type { Turn } from '../engine/concurrency/turn.js';
import { whenAborted } from '../engine/concurrency/when-aborted.js';
import { type Body, NOTHING } from '../engine/content/receive.js';
import type { Actor } from '../engine/events.js';
import type { Store } from '../engine/store.js';
import { StorageError } from '../errors.js';
import { requireAllowedList, setsAList } from './acl-inputs.js';
import type { Call, ObjectName, SubjectKind } from './action.js';
import type { Application } from './application.js';
import { nameOfBucket } from './bucket-name.js';
import type { Conventions } from './conventions.js';
import type { Parameters } from './parameters/parameter.js';

/**
 * Checks the permission before reading the input. The action itself checks copy sources and the
 * members of a batch.
 */
export async function admit(
  store: Store,
  application: Application,
  readInput: () => unknown,
): Promise<AdmittedCall> {
  const { action, key, page } = application;
  const { permission, on, setsAcl } = action;
  if ((on === 'bucket' || on === 'object') && application.subject?.bucket === undefined) {
    throw new StorageError('NoSuchBucket');
  }
  const call = new AdmittedCall(store, application);
  const readAt = store.now();
  // Each object of a batch is checked later. A caller without rights to any object is rejected now.
  if (permission === 'each') {
    await call.permit?.requireSome('WRITE');
    // The request uses POST, but deletes objects.
    if (call.bucket !== undefined) await page?.requireMethod(store, call.bucket, 'DELETE');
  } else if (permission !== 'NONE') {
    const { readsObject = false, removes, takes } = action;
    const size = takes === 'bytes' ? application.announced : undefined;
    const required = call.require({ permission, key, readsObject, removes, size });
    if (required !== undefined) await required;
  }
  call.input = (await readInput()) as AdmittedCall['input'];
  // No permit can renew a right to something that does not exist yet.
  const isOld = Math.abs(store.now() - readAt) > FRESH_FOR;
  if (isOld && call.permit === undefined && permission !== 'NONE' && permission !== 'each') {
    await call.require({ permission, key });
  }
  if (setsAList(call.input)) {
    // An action that also sets a list needs the permission of the action that sets lists.
    if (setsAcl !== undefined) await call.require({ permission: 'FULL_CONTROL', key, as: setsAcl });
    requireAllowedList(store, call.bucket, call.input);
    if (call.permit) call.permit.confirmInput = (now) => requireAllowedList(store, now, call.input);
  }
  if (action.setsTags === true && call.input.tags !== undefined) {
    await call.require({ permission: 'FULL_CONTROL', key, as: 'PutObjectTagging' });
  }
  return call;
}

/** The input of an action. A class, because one is created for each request. */
export class AdmittedCall implements Omit<Call<SubjectKind, Parameters>, 'permit'> {
  readonly store: Store;
  readonly bucket: Bucket | undefined;
  readonly permit: Permit | undefined;
  readonly bucketName: string;
  readonly key: string;
  readonly principal: Principal | undefined;
  readonly conventions: Conventions;
  readonly opensLate: boolean;
  input: Call<SubjectKind, Parameters>['input'] = {};
  body: Body = NOTHING;
  readonly #application: Application;
  readonly #caller: Caller;
  #left: Promise<never> | undefined;

  constructor(store: Store, application: Application) {
    const { action, subject, principal, authorize, trusted, requestId, signal } = application;
    const { name: operation, modifies = false } = action;
    this.#application = application;
    const ask = authorize && ((rule: Ask) => this.#ask(rule));
    const who = { operation, principal, requestId };
    this.#caller = { ...who, store, modifies, authorize, trusted, signal, ask };
    this.store = store;
    this.bucket = action.on === 'new bucket' ? undefined : subject?.bucket;
    this.permit = this.bucket && new Permit(this.#caller, subject as BucketSubject);
    this.bucketName = application.bucketName;
    this.key = application.key;
    this.principal = principal;
    this.conventions = application.conventions;
    this.opensLate = application.opensLate;
  }

  get actor(): Actor {
    const { operation, principal, requestId } = this.#caller;
    return { operation, principal, requestId };
  }

  signal(): AbortSignal | undefined {
    return this.#application.signal();
  }

  reading<T>(task: () => Promise<T>): Promise<T> {
    return this.#inTurn(this.store.copyLimit, task);
  }

  /** Opens a download of an object of this bucket when it is the caller's turn. */
  opening<T>(task: () => Promise<T>): Promise<T> {
    const { trusted } = this.#caller;
    if (trusted) return task();
    const object = `${this.bucket?.id}/${this.key}`;
    return this.store.openLimit.run(callerId(this.principal), object, () => {
      this.signal()?.throwIfAborted(); // The client may have disconnected during the wait.
      return task();
    });
  }

  /**
   * Runs work on many records once it is the caller's turn. Without a turn, it waits for the app's
   * own rule, a few times at once for each caller: a batch may ask a thousand times.
   */
  working<T>(task: () => Promise<T>): Promise<T> {
    return this.#inTurn(this.store.workLimit, async (turn) => {
      this.#application.reserve?.(this.input);
      if (turn !== undefined && this.#caller.ask !== undefined) {
        const asking = (ask: Ask) =>
          this.store.ruleLimit.run(callerId(this.principal), async () => {
            this.signal()?.throwIfAborted();
            return this.#ask(ask);
          });
        this.#caller.ask = (ask) => turn.pause(() => asking(ask));
      }
      return task();
    });
  }

  /** Asks the app, until the client leaves: the app may never decide, and others may be waiting. */
  async #ask(ask: Ask): Promise<boolean> {
    const answer = ask();
    if (!(answer instanceof Promise)) return answer;
    const signal = this.signal();
    if (signal === undefined) return answer;
    this.#left ??= whenAborted(signal); // One listener for all the questions of a batch.
    return Promise.race([answer, this.#left]);
  }

  #inTurn<T>(limit: CallerLimit, task: (turn?: Turn) => Promise<T>): Promise<T> {
    if (this.#caller.trusted) return task();
    return limit.run(callerId(this.principal), async (turn) => {
      this.signal()?.throwIfAborted(); // The client may have disconnected during the wait.
      return task(turn);
    });
  }

  /** Adds a right to the permit. Throws AccessDenied. */
  require(right: Right): Promise<void> | void {
    if (right.permission === 'FULL_CONTROL') this.#application.page?.refuseControl();
    const { permit } = this;
    if (permit !== undefined) {
      const required = permit.require(right);
      if (required === undefined || !this.#mayLearnAbsence(right)) return required;
      return required.catch((error: unknown) => this.#orNoSuchKey(permit, error));
    }
    return requireRight(this.#caller, { ...right, bucketName: this.bucketName });
  }

  /**
   * Whether the caller is reading an object, and may learn from the LIST permission that it does
   * not exist. The decision of an app's own rule is final.
   */
  #mayLearnAbsence({ readsObject, permission, key }: Right): boolean {
    const { subject, conventions, authorize } = this.#application;
    if (!conventions.listersSeeMissingKeys || authorize !== undefined) return false;
    const found = subject?.object;
    const isAbsent = found?.key === key && found.entry === undefined;
    return readsObject === true && permission === 'READ' && isAbsent;
  }

  async #orNoSuchKey(permit: Permit, error: unknown): Promise<never> {
    const lists = await permit.allows({ permission: 'LIST', key: '' });
    throw lists ? new StorageError('NoSuchKey') : error;
  }

  async needs(permission: Permission, as?: string): Promise<void> {
    await this.require({ ...this.#rightTo(permission), as });
  }

  async allows(permission: Permission, as?: string): Promise<boolean> {
    return this.permit === undefined || this.permit.allows({ ...this.#rightTo(permission), as });
  }

  permitFor(permission: Permission, key: string): Promise<Permit> {
    const { removes } = this.#application.action;
    return (this.permit as Permit).for({ ...this.#rightTo(permission), key, removes });
  }

  async source(
    permission: Permission,
    from: ObjectName,
    sizeOf?: Right['sizeOf'],
    as?: string,
  ): Promise<Permit> {
    const { page } = this.#application;
    const name = nameOfBucket(from.bucket, this.conventions);
    const subject = await readSubject(this.store, name, from.key, () => this.signal());
    const { bucket } = subject;
    if (bucket === undefined) throw new StorageError('NoSuchBucket');
    const permit = new Permit(this.#caller, subject as BucketSubject);
    const moves = permission === 'WRITE';
    const asSource = { readsObject: true, source: true, sizeOf, as };
    // Callers who may not read an object must not move it to a key at which they may.
    if (moves) await permit.require({ permission: 'READ', key: from.key, ...asSource });
    await permit.require({ permission, key: from.key, moves, ...asSource });
    // A rename removes the object from its source; a copy reads it with the rights in the source's
    // bucket.
    if (moves) await page?.requireMethod(this.store, bucket, 'DELETE');
    else if (from.bucket !== this.bucketName) await page?.requireMethod(this.store, bucket, 'GET');
    return permit;
  }

  #rightTo(permission: Permission): Right {
    const readsObject = permission === 'READ' && this.#application.action.on === 'object';
    return { permission, key: this.key, readsObject };
  }
}

/** The subject of a request about a bucket that exists. */
type BucketSubject = Subject & { readonly bucket: Bucket };
