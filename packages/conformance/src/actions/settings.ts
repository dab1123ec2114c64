import type { Answer } from '../http/answer.js';
import type { Grant } from './values.js';

/** Access control lists, CORS rules and lifecycle rules, in a form for all dialects. */

/** The name of a canned list, or grants. */
export type Acl = string | readonly Grant[];

export interface BucketAcl {
  readonly ownerId: string;
  readonly grants: readonly Grant[];
}

export interface CorsRule {
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  readonly allowedHeaders?: readonly string[] | undefined;
  readonly exposedHeaders?: readonly string[] | undefined;
  readonly maxAgeSeconds?: number | undefined;
}

/** What a browser states in a preflight, before it sends a request from another origin. */
export interface PreflightQuestion {
  readonly origin?: string | undefined;
  readonly method?: string | undefined;
  readonly headers?: string | undefined;
}

/** The CORS headers of a response (Fetch, section "CORS protocol"). Lists are in lower case. */
export interface CorsAnswer {
  readonly allowOrigin: string | undefined;
  readonly allowCredentials: boolean;
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly maxAge: number | undefined;
  readonly http: Answer;
}

export interface LifecycleRule {
  readonly id?: string | undefined;
  readonly enabled: boolean;
  /** The rule applies to keys that start with one of them. An empty one applies to every key. */
  readonly prefixes: readonly string[];
  /** The number of days after the last change, or a midnight. Without either: at once. */
  readonly days?: number | undefined;
  readonly date?: Date | undefined;
  readonly action: 'DeleteObject' | 'AbortMultipartUpload';
}
