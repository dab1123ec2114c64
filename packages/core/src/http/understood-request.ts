import type { Principal } from '../contracts/principal.js';
import type { Subject } from '../engine/buckets/subject.js';
import type { YieldIfDue } from '../engine/concurrency/yielder.js';
import type { RequestHeaders } from './headers.js';
import type { Operation } from './operation.js';
import type { Place, Target } from './target.js';

/** What is known about a request after its operation was found. */
export interface Understood {
  readonly headers: RequestHeaders;
  /** Called before a long head is read or verified. */
  readonly yieldIfDue: YieldIfDue;
  readonly place: Place;
  readonly target: Target;
  readonly operation: Operation;
  readonly subject: Subject | undefined;
  /** The owner of the bucket; `undefined` if there is no such bucket. */
  readonly owner: Principal | undefined;
}
