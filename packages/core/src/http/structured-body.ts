import type { MemoryShare } from '../engine/concurrency/memory-share.js';
import type { RequestHeaders } from './headers.js';
import type { BodyTimes, RequestBody } from './message.js';

/** The limits for reading a structured body. */
export interface BodyTerms {
  /** The length in Content-Length. */
  readonly announced: number | undefined;
  readonly headers: RequestHeaders;
  readonly times: BodyTimes;
  /** The memory of the request, released when it ends. */
  readonly memory: MemoryShare;
}

/** A structured body, such as JSON, that is read and parsed before an action runs. */
export interface StructuredBody {
  /** Whether a request without this body is valid too. */
  readonly optional?: boolean | undefined;
  /** Resolves to `undefined` if there is no body and none is needed. */
  read(body: RequestBody, terms: BodyTerms): Promise<unknown>;
}

/**
 * Whether there is no body: Content-Length is 0, or neither it nor Transfer-Encoding was sent (RFC
 * 9112 section 6.3) and the body needs neither.
 */
export const isWithoutBody = (
  body: RequestBody,
  { announced, headers }: Pick<BodyTerms, 'announced' | 'headers'>,
): boolean =>
  announced === 0 ||
  (announced === undefined && !headers.has('transfer-encoding') && body.mayBeUnannounced !== true);
