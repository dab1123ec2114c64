import type { Permission, Principal } from '../contracts/principal.js';
import type { Admitted, Bucket } from '../engine/buckets/buckets.js';
import type { Body } from '../engine/content/receive.js';
import type { StorageEvent, StorageEventName } from '../engine/events.js';
import type { ObjectRecord } from '../engine/records/types.js';
import type { Store } from '../engine/store.js';
import type { Fields, InputOf } from './fields.js';
import type { StorageResponse } from './message.js';

/** What an operation is about. A new bucket need not exist yet. */
export type Subject = 'service' | 'new bucket' | 'bucket' | 'object';

/** What a request must look like. Of all routes that match, the one with most markers wins. */
export interface Route<On extends Subject = Subject> {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS';
  readonly on: On;
  /** Query parameters that must be present. */
  readonly query?: readonly string[];
  /** Headers that must be present. */
  readonly headers?: readonly string[];
}

export interface JsonBody {
  readonly maxBytes: number;
  /**
   * So many commas, colons and opening brackets may stand outside of text: they say how long it takes to
   * parse the body. Undefined where `maxBytes` is small.
   */
  readonly maxStructural?: number;
  /** An empty body is no JSON at all, and none is needed. */
  readonly optional?: boolean;
  /** Answered when the body is larger. */
  readonly tooLarge: 'EntityTooLarge' | 'MaxMessageLengthExceeded';
}

/** What an operation works with: one request that was understood and allowed. */
export interface Call<On extends Subject, F extends Fields> {
  readonly store: Store;
  readonly input: InputOf<F>;
  readonly bucket: On extends 'bucket' | 'object' ? Bucket : undefined;
  /** The right of the caller to do this with the bucket or object. Every commit expects it. */
  readonly permit: On extends 'bucket' | 'object' ? Admitted : undefined;
  /** The bucket's name; empty for the service. */
  readonly bucketName: string;
  /** The object's key; empty when the operation is not about an object. */
  readonly key: string;
  readonly principal: Principal | undefined;
  /** The request's bytes; empty unless the operation takes bytes. */
  readonly body: Body;
  /** Aborts when the client has left before it was answered. */
  signal(): AbortSignal | undefined;
  /** Runs what reads many bytes for a copy, a few at a time for each caller. */
  reading<T>(task: () => Promise<T>): Promise<T>;
  /** The url of the object; a path when the request came from a program. */
  readonly url: () => string;
  /** The caller may never read what it gets: bytes are opened by the first read. */
  readonly opensLate: boolean;
  /** Adds a permission to the permit, for another operation that is done as well. Throws AccessDenied. */
  needs(permission: Permission, as?: string): Promise<void>;
  /** Whether the caller has a permission on the same bucket or object. */
  allows(permission: Permission): Promise<boolean>;
  /** The right to do this to another object of the bucket. Throws AccessDenied. */
  permitFor(permission: Permission, key: string): Promise<Admitted>;
  /**
   * The right to use the source of a copy or rename, of which `sizeOf` bytes are taken. Throws
   * NoSuchBucket, AccessDenied.
   */
  source(
    permission: Permission,
    source: ObjectName,
    sizeOf?: (object: ObjectRecord) => number | undefined,
  ): Promise<Admitted>;
  /** Tells listeners what was committed. */
  announce(name: StorageEventName, about: Announcement): void;
}

export type Announcement = Pick<StorageEvent, 'key' | 'size' | 'etag'>;

export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

/**
 * One operation of the interface: first how it looks on the wire, then what it does, then how its
 * result is answered.
 */
export interface Operation<On extends Subject, F extends Fields, R, Takes extends BodyKind> {
  readonly name: string;
  readonly route: Route<On>;
  /**
   * What the caller needs on the subject. `each`: the operation asks for each object it touches.
   * `NONE`: nothing is asked.
   */
  readonly permission: Permission | 'each' | 'NONE';
  /** Headers that clients send with it and that say nothing here. */
  readonly ignores?: readonly string[];
  /** A caller who may only replace objects may call it. */
  readonly modifies?: boolean;
  /** The object's own access control list counts. */
  readonly readsObject?: boolean;
  /** Sets an access control list when one of these inputs is given: that is asked for as well. */
  readonly setsAcl?: 'PutBucketAcl' | 'PutObjectAcl';
  readonly takes: Takes;
  readonly json?: JsonBody;
  /** Answers a user's bytes, which a browser must not take for the host's own page. */
  readonly servesContent?: boolean;
  /** May take long after the request has arrived: the answer is then begun early and kept alive. */
  readonly slow?: boolean;
  readonly input: F;
  run(call: Call<On, F>): Promise<R>;
  respond(
    result: R,
    call: Pick<Call<On, F>, 'bucketName' | 'key' | 'input' | 'body'>,
  ): StorageResponse;
}

export type BodyKind = 'nothing' | 'bytes' | 'json';

export const operation = <On extends Subject, F extends Fields, R, Takes extends BodyKind>(
  definition: Operation<On, F, R, Takes>,
): Operation<On, F, R, Takes> => definition;

/** Any operation, for code that treats all alike. */
// biome-ignore lint/suspicious/noExplicitAny: the table holds operations of different shapes
export type AnyOperation = Operation<any, any, any, BodyKind>;
