import type { Body } from './http/connection.js';

/** What every method takes. */
export interface Cancelable {
  readonly signal?: AbortSignal | undefined;
}

export interface InBucket extends Cancelable {
  readonly bucket: string;
}

export interface OfObject extends InBucket {
  readonly key: string;
}

export interface OfUpload extends OfObject {
  readonly uploadId: string;
}

export interface WriteConditions {
  /** `*`: only if no object has this key. */
  readonly ifNoneMatch?: string | undefined;
  /** Only if the object has this ETag. */
  readonly ifMatch?: string | undefined;
  readonly ifUnmodifiedSince?: Date | undefined;
}

export interface ReadConditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: Date | undefined;
  readonly ifUnmodifiedSince?: Date | undefined;
}

export interface StoredHeaders {
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly contentLanguage?: string | undefined;
  readonly contentDisposition?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly expires?: Date | string | undefined;
}

export interface Grantee {
  /** A user id. `*`: everyone. */
  readonly id: string;
  readonly tenantId?: string | undefined;
}

export interface ObjectAclOptions {
  readonly acl?: 'private' | 'public-read' | undefined;
  readonly grantRead?: readonly Grantee[] | undefined;
  readonly grantFullControl?: readonly Grantee[] | undefined;
}

export interface BucketAclOptions {
  readonly acl?: 'private' | 'public-read' | 'public-read-write' | undefined;
}

/** What is stored with an object. */
export interface ObjectOptions extends StoredHeaders, ObjectAclOptions {
  /** Names in lower case, together at most 2 KB. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly storageClass?: string | undefined;
}

/** Compared with what arrives. */
export interface Digests {
  /** Base64. */
  readonly contentMd5?: string | undefined;
  /** Hexadecimal. */
  readonly contentSha256?: string | undefined;
  readonly contentCrc32?: number | undefined;
}

export interface Owner {
  readonly id: string;
  readonly displayName: string;
}

export interface BucketItem {
  readonly name: string;
  readonly location: string;
  readonly creationDate: Date;
}

export interface BucketList {
  readonly owner: Owner;
  readonly buckets: readonly BucketItem[];
}

export interface ListObjects extends InBucket {
  readonly prefix?: string | undefined;
  /** One character. `/`: what looks like a folder is one common prefix. */
  readonly delimiter?: string | undefined;
  /** The page starts after this key. */
  readonly marker?: string | undefined;
  /** At most and by default 1,000. */
  readonly maxKeys?: number | undefined;
}

export interface ObjectItem {
  readonly key: string;
  readonly lastModified: Date;
  readonly etag: string;
  readonly size: number;
  readonly storageClass: string;
  readonly owner: Owner;
}

export interface ObjectPage {
  readonly contents: readonly ObjectItem[];
  readonly commonPrefixes?: readonly { readonly prefix: string }[] | undefined;
  readonly isTruncated: boolean;
  readonly nextMarker?: string | undefined;
}

export interface ListUploads extends InBucket {
  readonly prefix?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly keyMarker?: string | undefined;
  readonly uploadIdMarker?: string | undefined;
  readonly maxUploads?: number | undefined;
}

export interface UploadItem {
  readonly key: string;
  readonly uploadId: string;
  readonly owner: Owner;
  readonly initiated: Date;
  readonly storageClass: string;
}

export interface UploadPage {
  readonly uploads: readonly UploadItem[];
  readonly commonPrefixes?: readonly { readonly prefix: string }[] | undefined;
  readonly isTruncated: boolean;
  readonly nextKeyMarker?: string | undefined;
  readonly nextUploadIdMarker?: string | undefined;
}

export interface ListParts extends OfUpload {
  readonly maxParts?: number | undefined;
  readonly partNumberMarker?: number | undefined;
}

export interface PartItem {
  readonly partNumber: number;
  readonly lastModified: Date;
  /** The MD5 of the part. */
  readonly etag: string;
  readonly size: number;
}

export interface PartPage {
  readonly initiated: Date;
  readonly parts: readonly PartItem[];
  readonly isTruncated: boolean;
  readonly nextPartNumberMarker: number;
}

export interface PutObject extends OfObject, ObjectOptions, Digests, WriteConditions {
  readonly body: Body;
  /** Bytes sent, where the browser tells. */
  readonly onProgress?: ((loaded: number) => void) | undefined;
}

/** What was stored. */
export interface Written {
  readonly etag: string;
  /** Of the object or part. Undefined: a page of another origin may not read the header. */
  readonly contentCrc32: number | undefined;
}

export interface AppendObject extends OfObject, ObjectOptions, Digests {
  readonly body: Body;
  /** The size of the object. Without it, a new object replaces any that has this key. */
  readonly offset?: number | undefined;
}

export interface Appended extends Written {
  readonly nextAppendOffset: number;
}

export interface GetObject extends OfObject, ReadConditions {
  /** `bytes=0-9` */
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly responseContentType?: string | undefined;
  readonly responseContentDisposition?: string | undefined;
  readonly responseContentEncoding?: string | undefined;
  readonly responseContentLanguage?: string | undefined;
  readonly responseCacheControl?: string | undefined;
  readonly responseExpires?: string | undefined;
}

/** The properties of an object. */
export interface StoredObject {
  readonly key: string;
  /** Bytes of the whole object. */
  readonly size: number;
  readonly etag: string;
  readonly lastModified: Date;
  readonly type: 'Normal' | 'Appendable';
  readonly storageClass: string | undefined;
  readonly contentMd5: string | undefined;
  readonly contentCrc32: number | undefined;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly contentLanguage: string | undefined;
  readonly contentDisposition: string | undefined;
  readonly cacheControl: string | undefined;
  readonly expires: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An object with its data, which can be read once. */
export interface ObjectContent extends StoredObject {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  text(): Promise<string>;
  json<T = unknown>(): Promise<T>;
  blob(): Promise<Blob>;
}

export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

export interface CopyObject extends OfObject, ObjectOptions, ReadConditions {
  readonly source: ObjectName;
  /** `copy`, the default: headers and metadata of the source. `replace`: those given here. */
  readonly metadataDirective?: 'copy' | 'replace' | undefined;
}

export interface UploadPartCopy extends OfUpload, ReadConditions {
  readonly partNumber: number;
  readonly source: ObjectName;
  /** `bytes=0-9` */
  readonly range?: string | undefined;
}

export interface Copied {
  readonly etag: string;
  readonly lastModified: Date;
}

export interface UploadPart extends OfUpload, Digests {
  readonly partNumber: number;
  readonly body: Body;
  readonly onProgress?: ((loaded: number) => void) | undefined;
}

export interface CompleteUpload extends OfUpload, WriteConditions {
  readonly parts: readonly { readonly partNumber: number; readonly etag: string }[];
  readonly contentCrc32?: number | undefined;
}

export interface Completed {
  readonly bucket: string;
  readonly key: string;
  readonly etag: string;
  readonly location: string;
}

export type Permission = 'READ' | 'LIST' | 'WRITE' | 'MODIFY' | 'FULL_CONTROL';

export interface Grant {
  readonly grantee: readonly Grantee[];
  readonly permission: readonly Permission[];
  readonly resource?: readonly string[] | undefined;
  readonly notResource?: readonly string[] | undefined;
  readonly effect?: 'Allow' | 'Deny' | undefined;
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

export interface LifecycleRule {
  readonly id?: string | undefined;
  readonly status: 'enabled' | 'disabled';
  /** `<bucket>/` or `<bucket>/<prefix>/*` */
  readonly resource: readonly string[];
  /** Without a time, the rule is due at once. */
  readonly condition: { readonly time?: { readonly dateGreaterThan?: string | undefined } };
  readonly action: { readonly name: 'DeleteObject' | 'AbortMultipartUpload' };
}

export interface DeleteFailure {
  readonly key: string;
  readonly code: string;
  readonly message: string;
}
