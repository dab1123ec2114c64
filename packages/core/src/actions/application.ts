import type { Authorize, Principal } from '../contracts/principal.js';
import type { Bucket } from '../engine/buckets/buckets.js';
import type { Subject } from '../engine/buckets/subject.js';
import type { SignalOf } from '../engine/concurrency/when-aborted.js';
import type { Store } from '../engine/store.js';
import type { AnyAction, Call, SubjectKind } from './action.js';
import type { Conventions } from './conventions.js';
import type { Parameters } from './parameters/parameter.js';

/** A request whose caller and action are known. */
export interface Application {
  readonly action: AnyAction;
  /** Empty when the request is not about a bucket. */
  readonly bucketName: string;
  /** What has been read about the bucket. `undefined` when the request is not about a bucket. */
  readonly subject: Subject | undefined;
  /** Empty when the request is not about an object. */
  readonly key: string;
  readonly requestId: string;
  readonly principal: Principal | undefined;
  /** `undefined` unless a CORS rule allowed a page of another site. */
  readonly page: ForeignPage | undefined;
  readonly authorize: Authorize | undefined;
  readonly conventions: Conventions;
  /** A program might never read the result, so the first read opens its data. */
  readonly opensLate: boolean;
  /** Whether the caller is the app itself: then nothing is checked. */
  readonly trusted: boolean;
  /** The length of the body, if the request announced it. */
  readonly announced: number | undefined;
  /** Reserves memory for the response to an input, before the work begins. Throws SlowDown. */
  readonly reserve?: ((input: Call<SubjectKind, Parameters>['input']) => void) | undefined;
  /** Aborts when the client disconnects before its response. */
  readonly signal: SignalOf;
}

/**
 * A page of another site that the CORS rules of a bucket allow. The bucket's owner sets the rules
 * and need not be the visitor of the page, so the rules open only that bucket.
 */
export interface ForeignPage {
  /**
   * Throws AccessDenied when the browser sent a login automatically: such a login cannot change a
   * bucket's settings.
   */
  refuseControl(): void;
  /** Throws AccessDenied when the bucket's rules do not allow this page a method. */
  requireMethod(store: Store, bucket: Bucket, method: string): Promise<void>;
}
