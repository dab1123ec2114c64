import type { Grantee } from './common.js';

export interface ObjectAclOptions {
  readonly acl?: 'private' | 'public-read' | undefined;
  readonly grantRead?: readonly Grantee[] | undefined;
  readonly grantFullControl?: readonly Grantee[] | undefined;
}

export interface BucketAclOptions {
  readonly acl?: 'private' | 'public-read' | 'public-read-write' | undefined;
}

export type Permission = 'READ' | 'LIST' | 'WRITE' | 'MODIFY' | 'FULL_CONTROL';

export interface Grant {
  readonly grantee: readonly Grantee[];
  readonly permission: readonly Permission[];
  readonly resource?: readonly string[];
  readonly notResource?: readonly string[];
  readonly effect?: 'Allow' | 'Deny';
}

export interface Acl {
  readonly accessControlList: readonly Grant[];
}

export interface CorsRule {
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly ('GET' | 'PUT' | 'DELETE' | 'POST' | 'HEAD')[];
  readonly allowedHeaders?: readonly string[] | undefined;
  readonly allowedExposeHeaders?: readonly string[] | undefined;
  readonly maxAgeSeconds?: number | undefined;
}

export interface Cors {
  readonly corsConfiguration: readonly CorsRule[];
}

export interface LifecycleRule {
  readonly id?: string | undefined;
  readonly status: 'enabled' | 'disabled';
  /** `<bucket>/` or `<bucket>/<prefix>/*` */
  readonly resource: readonly string[];
  /** Without a time, the rule acts at once. */
  readonly condition: { readonly time?: { readonly dateGreaterThan?: string } };
  readonly action: { readonly name: 'DeleteObject' | 'AbortMultipartUpload' };
}

export interface Lifecycle {
  readonly rule: readonly LifecycleRule[];
}
