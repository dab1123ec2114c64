import type { OutgoingHttpHeaders } from 'node:http';
import type { ErrorCode } from '@bucketware/core';
import type { BucketAcl, CorsRule, LifecycleRule } from '../actions/settings.js';
import type { Copied, Grant } from '../actions/values.js';
import type { Answer } from '../http/answer.js';
import type { Caller } from '../http/server.js';

/** A request before its caller is named in it. */
export interface Unsigned {
  readonly method: string;
  readonly host: string;
  /** Raw path and query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/** Where dialects differ in what they have in common. */
export interface Spelling {
  /** The beginning of the dialect's own headers, such as `x-svc-`. */
  readonly prefix: string;
  /** Percent-encodes text for a path or query. */
  encode(text: string): string;
  /** The headers of a request of the caller. */
  authorize(request: Unsigned, caller: Caller): OutgoingHttpHeaders;
  /** Code and message in the body of an error. Asserts all that every error has. */
  errorIn(answer: Answer): { readonly code: ErrorCode; readonly message: string };

  /** A grantee in a header. */
  granteeOf(id: string): string;
  /** The name of the directive of a copy. */
  directiveOf(directive: string): string;
  /** The query parameter that overrides a stored header, given by its name in programs and in HTTP. */
  overrideOf(name: string, header: string): string;
  /** Asks for the digests of what is read. */
  readonly asksDigests: OutgoingHttpHeaders;
  /** The header of a CRC-32, and how a decimal number is written there and read. */
  readonly crc32: string;
  crc32Text(decimal: string): string;
  crc32In(text: string): string;
  /** The storage class of an object whose description names none. */
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
