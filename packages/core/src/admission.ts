import type { Authorize, Permission, Principal } from './contracts/principal.js';
import { StorageError } from './errors.js';
import type { Fields } from './http/fields.js';
import type { AnyOperation, Call, ObjectName, Subject } from './http/operation.js';
import { isAllowed } from './model/access.js';
import { type Bucket, readBucket } from './model/buckets.js';
import type { Store } from './model/store.js';

/** Who wants to do what. */
export interface Application {
  readonly operation: AnyOperation;
  /** Empty when the request is about no bucket. */
  readonly bucketName: string;
  /** Empty when the request is about no object. */
  readonly key: string;
  /** What `location` answers. */
  readonly url: string;
  readonly principal: Principal | undefined;
  readonly authorize: Authorize | undefined;
}

/** A call that lacks only its body. */
export type Admitted = Omit<Call<Subject, Fields>, 'body'>;

/**
 * Finds the bucket, asks whether the caller may, and only then reads the input. Sources and members
 * of a batch are asked about by the operation, through the same question.
 */
export async function admit(
  store: Store,
  { operation, bucketName, key, url, principal, authorize }: Application,
  readInput: () => unknown,
): Promise<Admitted> {
  const ask = async (
    permission: Permission,
    bucket: Bucket | undefined,
    about: { bucket: string; key: string; source?: boolean },
  ): Promise<boolean> => {
    const allowed = isAllowed(permission, bucket?.record, principal);
    if (authorize === undefined) return allowed;
    return authorize({
      operation: operation.name,
      permission,
      bucket: about.bucket || undefined,
      key: about.key || undefined,
      source: about.source ?? false,
      principal,
      allowed,
    });
  };

  const { permission, route } = operation;
  const exists = route.on === 'bucket' || route.on === 'object';
  const bucket = exists ? await readBucket(store, bucketName) : undefined;
  const target = { bucket: bucketName, key };
  if (permission !== 'each' && !(await ask(permission, bucket, target))) {
    throw new StorageError('AccessDenied');
  }
  const input = (await readInput()) as Admitted['input'];
  const mayTouch = (needed: Permission, other: string) =>
    ask(needed, bucket, { bucket: bucketName, key: other });
  const source = async (needed: Permission, from: ObjectName): Promise<Bucket> => {
    const holder = await readBucket(store, from.bucket);
    if (await ask(needed, holder, { ...from, source: true })) return holder;
    throw new StorageError('AccessDenied', 'You are not allowed to use the source.');
  };
  return { store, input, bucket, bucketName, key, url, principal, mayTouch, source };
}
