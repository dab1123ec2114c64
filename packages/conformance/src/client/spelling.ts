import type { OutgoingHttpHeaders } from 'node:http';
import type { ErrorCode } from '@bucketware/core';
import type { BucketAcl, CorsRule, LifecycleRule } from '../actions/settings.js';
import type { Copied, Grant } from '../actions/values.js';
import type { Answer } from '../http/answer.js';
import type { Caller } from '../http/server.js';

/** A request without its caller's credentials. */
export interface Unsigned {
  readonly method: string;
  readonly host: string;
  /** Raw path and query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/** How dialects write the elements that they have in common. */
export interface Spelling {
  /** The prefix of the dialect's own headers, such as `x-svc-`. */
  readonly prefix: string;
  /** Percent-encodes text for a path or query. */
  encode(text: string): string;
  /** The headers that identify the caller of a request. */
  authorize(request: Unsigned, caller: Caller): OutgoingHttpHeaders;
  /** Reads code and message in the body of an error, and asserts everything that errors require. */
  errorIn(answer: Answer): { readonly code: ErrorCode; readonly message: string };

  /** A grantee in a header. */
  granteeOf(id: string): string;
  /** The value of the header for a copy directive. */
  directiveOf(directive: string): string;
  /** The query parameter that overrides a stored header. `name`: in programs; `header`: in HTTP. */
  overrideOf(name: string, header: string): string;
  /** The headers that request the digests of the data in a response. */
  readonly digestsHeaders: OutgoingHttpHeaders;
  /** The header of a CRC-32, and functions that write and read a decimal number in it. */
  readonly crc32: string;
  crc32Text(decimal: string): string;
  crc32In(text: string): string;
  /** The storage class of an object whose description contains none. */
  readonly defaultClass: string;

  copiedIn(answer: Answer, action: 'CopyObject' | 'CopyPart'): Copied;
  readonly settings: SettingBodies;
}

/** The bodies of requests and responses about settings. */
export interface SettingBodies {
  aclText(grants: readonly Grant[]): string;
  bucketAclIn(answer: Answer): BucketAcl;
  objectAclIn(answer: Answer): readonly Grant[];
  corsText(rules: readonly CorsRule[]): string;
  corsIn(answer: Answer): readonly CorsRule[];
  lifecycleText(rules: readonly LifecycleRule[], bucket: string): string;
  lifecycleIn(answer: Answer, bucket: string): readonly LifecycleRule[];
}
