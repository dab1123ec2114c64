import type { SharedMemory } from '../engine/concurrency/memory-share.js';
import type { RequestHeaders } from './headers.js';
import type { BodyTimes, RequestBody } from './message.js';

/** Under which terms a body that is parsed may arrive. */
export interface BodyTerms {
  /** Content-Length. */
  readonly announced: number | undefined;
  readonly headers: RequestHeaders;
  readonly times: BodyTimes;
  readonly memory: SharedMemory;
  /** By whom memory is counted. */
  readonly caller: string;
}

/** A body with a structure, such as JSON, that is read and parsed before an action is run. */
export interface StructuredBody {
  /** Undefined: there is none, and none is needed. */
  read(body: RequestBody, terms: BodyTerms): Promise<unknown>;
}
