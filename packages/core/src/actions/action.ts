import type { Permission, Principal } from '../contracts/principal.js';
import type { Admitted, Bucket } from '../engine/buckets/buckets.js';
import type { Body } from '../engine/content/receive.js';
import type { Actor } from '../engine/events.js';
import type { ObjectRecord } from '../engine/records/objects.js';
import type { Store } from '../engine/store.js';
import type { Conventions } from './conventions.js';
import type { InputOf, Parameters } from './parameters/parameter.js';

/** What an action applies to. A new bucket need not exist yet. */
export type SubjectKind = 'service' | 'new bucket' | 'bucket' | 'object';

/** The input of an action: one request that is valid and allowed. */
export interface Call<On extends SubjectKind, P extends Parameters> {
  readonly store: Store;
  readonly input: InputOf<P>;
  readonly bucket: On extends 'bucket' | 'object' ? Bucket : undefined;
  /** The caller's right to do this with the bucket or object. Every commit depends on it. */
  readonly permit: On extends 'bucket' | 'object' ? Admitted : undefined;
  /** The bucket's name; empty for the service. */
  readonly bucketName: string;
  /** The object's key; empty when the action is not about an object. */
  readonly key: string;
  readonly principal: Principal | undefined;
  /** The request's data; empty unless the action takes data. */
  readonly body: Body;
  /** Where dialects differ. */
  readonly conventions: Conventions;
  /** Aborts when the client disconnects before its response. */
  signal(): AbortSignal | undefined;
  /** Runs a task that reads a lot of data for a copy. Only a few run at a time for each caller. */
  reading<T>(task: () => Promise<T>): Promise<T>;
  /** Opens data for a response. Many may be opened at a time for each caller, and more wait. */
  opening<T>(task: () => Promise<T>): Promise<T>;
  /** The caller might never read the result, so the first read opens its data. */
  readonly opensLate: boolean;
  /**
   * Adds a permission to the permit, for a second action in the same request. Throws AccessDenied.
   */
  needs(permission: Permission, as?: string): Promise<void>;
  /** Whether the caller has a permission on the same bucket or object. */
  allows(permission: Permission, as?: string): Promise<boolean>;
  /** The right to do this to another object of the bucket. Throws AccessDenied. */
  permitFor(permission: Permission, key: string): Promise<Admitted>;
  /**
   * The right to use the source of a copy or rename, from which `sizeOf` bytes are taken. `as`
   * names a second action in the same request. Throws NoSuchBucket, AccessDenied.
   */
  source(
    permission: Permission,
    source: ObjectName,
    sizeOf?: (object: ObjectRecord) => number | undefined,
    as?: string,
  ): Promise<Admitted>;
  /** The actor, for listeners of events. */
  readonly actor: Actor;
}

export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

/** One action of the storage: its subject, its permission, its parameters and its work. */
export interface Action<On extends SubjectKind, P extends Parameters, R, Takes extends BodyKind> {
  readonly name: string;
  readonly on: On;
  /**
   * The permission that the caller needs on the subject. `each`: the action checks each object it
   * touches. `NONE`: nothing is checked.
   */
  readonly permission: Permission | 'each' | 'NONE';
  /** Whether a caller who may only replace objects may call it. */
  readonly modifies?: boolean;
  /** Whether it removes objects: then a caller who may only add objects may not call it. */
  readonly removes?: boolean;
  /** Whether the object's own access control list applies. */
  readonly readsObject?: boolean;
  /** Whether it only reads. */
  readonly isRead?: boolean;
  /** Whether it starts with the stored object, which is then read together with the bucket. */
  readonly usesObject?: boolean;
  /** Whether it works on many records: then each caller may run only a few at a time. */
  readonly isLong?: boolean;
  /** The action whose permission is needed as well when the input sets an access control list. */
  readonly setsAcl?: 'PutBucketAcl' | 'PutObjectAcl';
  /** Whether input with tags needs the permission of PutObjectTagging as well. */
  readonly setsTags?: boolean;
  readonly takes: Takes;
  readonly parameters: P;
  run(call: Call<On, P>): Promise<R>;
}

export type BodyKind = 'nothing' | 'bytes';

export const action = <On extends SubjectKind, P extends Parameters, R, Takes extends BodyKind>(
  definition: Action<On, P, R, Takes>,
): Action<On, P, R, Takes> => definition;

/** Any action, for code that treats all actions alike. */
// biome-ignore lint/suspicious/noExplicitAny: the table holds actions of different shapes
export type AnyAction = Action<any, any, any, BodyKind>;
