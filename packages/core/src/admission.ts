import type { Authorize, Permission, Principal } from './contracts/principal.js';
import { StorageError } from './errors.js';
import type { Fields } from './http/fields.js';
import type { AnyOperation, Call, Confirm, ObjectName, Subject } from './http/operation.js';
import { isOwner, judge, type Verdict, type Wish } from './model/access.js';
import { type Bucket, readBucket } from './model/buckets.js';
import { findObject } from './model/objects.js';
import type { ObjectRecord } from './model/records.js';
import type { Store } from './model/store.js';

/** Who wants to do what. */
export interface Application {
  readonly operation: AnyOperation;
  /** Empty when the request is about no bucket. */
  readonly bucketName: string;
  /** Undefined when there is no such bucket, or none is meant. */
  readonly bucket: Bucket | undefined;
  /** Empty when the request is about no object. */
  readonly key: string;
  /** What `location` answers. */
  readonly url: () => string;
  readonly requestId: string;
  readonly principal: Principal | undefined;
  readonly authorize: Authorize | undefined;
  /** The host itself: nothing is asked. */
  readonly trusted: boolean;
}

/** A call that lacks only its body. */
export type Admitted = Omit<Call<Subject, Fields>, 'body'>;

/**
 * Asks whether the caller may, and only then reads the input. Sources and members of a batch are
 * asked about by the operation, through the same question.
 */
export async function admit(
  store: Store,
  application: Application,
  readInput: () => unknown,
): Promise<Admitted> {
  const { operation, bucketName, key, url, principal, requestId, trusted } = application;
  const { permission, route } = operation;
  const exists = route.on === 'bucket' || route.on === 'object';
  const bucket = exists ? application.bucket : undefined;
  if (exists && bucket === undefined) throw new StorageError('NoSuchBucket');
  const gate = new Gate(store, application);

  const asked = permission !== 'each' && permission !== 'NONE' && !trusted;
  const readsObject = operation.readsObject === true;
  const admitted = asked
    ? await gate.admit({ permission, bucket, key, principal }, readsObject)
    : undefined;
  const input = (await readInput()) as Admitted['input'];
  return {
    store,
    input,
    bucket,
    bucketName,
    key,
    url,
    principal,
    confirm: admitted?.confirm ?? (async () => {}),
    mayReplace(existing) {
      if (admitted?.verdict === 'modify' && existing === undefined) {
        throw new StorageError('OnlyAllowModify');
      }
    },
    mayTouch: async (needed, other) =>
      (await gate.ask({ permission: needed, bucket, key: other, principal })).allowed,
    async source(needed: Permission, from: ObjectName) {
      const holder = await readBucket(store, from.bucket);
      const moves = needed === 'WRITE';
      const wish = { permission: needed, bucket: holder, key: from.key, principal, moves };
      return (await gate.admit(wish, true, true)).confirm;
    },
    announce: (name, about) =>
      store.events.emit(name, {
        operation: operation.name,
        bucket: bucketName,
        principal,
        requestId,
        ...about,
      }),
  };
}

/** Asks the default rule, and then the host's own. */
class Gate {
  readonly #store: Store;
  readonly #application: Application;

  constructor(store: Store, application: Application) {
    this.#store = store;
    this.#application = application;
  }

  async ask(
    wish: Wish,
    object?: ObjectRecord,
    source = false,
  ): Promise<{ allowed: boolean; verdict: Verdict }> {
    const { operation, authorize, trusted } = this.#application;
    if (trusted) return { allowed: true, verdict: 'yes' };
    const verdict = await judge(this.#store, wish, object);
    const byDefault = verdict === 'yes' || (verdict === 'modify' && operation.modifies === true);
    if (authorize === undefined) return { allowed: byDefault, verdict };
    const { permission, bucket, key, principal } = wish;
    const question = {
      operation: operation.name,
      permission,
      bucket: bucket?.name ?? (this.#application.bucketName || undefined),
      key: key || undefined,
      source,
      principal,
      allowed: byDefault,
    };
    return { allowed: (await authorize(question)) === true, verdict };
  }

  /**
   * Throws AccessDenied, or returns what the operation needs to go on. Where the list of an object
   * counts, `confirm` makes sure that it is the one of the object that is read in the end.
   */
  async admit(
    wish: Wish,
    readsObject: boolean,
    source = false,
  ): Promise<{ verdict: Verdict; confirm: Confirm }> {
    const { bucket, key, principal, permission } = wish;
    const counts = key !== '' && (readsObject || permission === 'FULL_CONTROL');
    const listed =
      counts && bucket !== undefined && !this.#application.trusted && !isOwner(bucket, principal);
    const object = listed ? await findObject(this.#store, bucket.name, key) : undefined;
    const { allowed, verdict } = await this.ask(wish, object, source);
    if (!allowed) throw denied(source);
    const confirm: Confirm = async (found) => {
      if (!listed || (await judge(this.#store, wish, found)) === verdict) return;
      if (!(await this.ask(wish, found, source)).allowed) throw denied(source);
    };
    return { verdict, confirm };
  }
}

const denied = (source: boolean): StorageError =>
  new StorageError('AccessDenied', source ? 'You are not allowed to use the source.' : undefined);
