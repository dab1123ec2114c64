import type { Answer } from '../http/answer.js';
import type { Grant } from './values.js';

/** Access control lists, CORS rules and lifecycle rules, as every dialect understands them. */

/** A canned list by its name, or grants. */
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

/** What a browser asks before it sends a request from another origin. */
export interface PreflightQuestion {
  readonly origin?: string | undefined;
  readonly method?: string | undefined;
  readonly headers?: string | undefined;
}

/** What an answer tells a browser (Fetch, section "CORS protocol"). Lists are in lower case. */
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
  /** Keys that start with one of them; an empty one is about every key. */
  readonly prefixes: readonly string[];
  /** Days after the last change, or a midnight. Without either: at once. */
  readonly days?: number | undefined;
  readonly date?: Date | undefined;
  readonly action: 'DeleteObject' | 'AbortMultipartUpload';
}
