import type { Answer } from '../http/answer.js';
import type { Body } from '../http/wire.js';

export type { Body };

/** A key, or a key as it is encoded in the path of a URL. */
export type Key = string | { readonly encoded: string };

export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

export interface UploadName extends ObjectName {
  readonly uploadId: string;
}

/** The headers that are stored with an object and returned. */
export interface StoredHeaders {
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly contentLanguage?: string | undefined;
  readonly contentDisposition?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly expires?: string | undefined;
}

/** Digests of data: MD5 and SHA-256 in hex, CRCs as decimal numbers. */
export interface Digests {
  readonly md5?: string | undefined;
  readonly sha256?: string | undefined;
  readonly crc32?: string | undefined;
}

/** Conditions of HTTP (RFC 9110 section 13), with values as in the header fields. */
export interface Conditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifUnmodifiedSince?: string | undefined;
}

export type Permission = 'READ' | 'LIST' | 'WRITE' | 'MODIFY' | 'FULL_CONTROL';

/** A grant or a denial. Grantees are ids of users, or `*` for everyone. */
export interface Grant {
  readonly grantees: readonly string[];
  readonly permissions: readonly Permission[];
  readonly effect?: 'Allow' | 'Deny' | undefined;
  /** Names to which the grant applies: `<bucket>/<key>`, or a prefix before `*`. */
  readonly resources?: readonly string[] | undefined;
  /** Names to which the grant does not apply. */
  readonly exceptResources?: readonly string[] | undefined;
}

/** The access control list of a new object: a canned list, or grants. */
export interface AclOptions {
  readonly acl?: string | undefined;
  readonly grantRead?: readonly string[] | undefined;
  readonly grantFullControl?: readonly string[] | undefined;
}

/** The options of a new object. */
export interface ObjectOptions extends StoredHeaders, AclOptions {
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly storageClass?: string | undefined;
}

export interface PutOptions extends ObjectOptions {
  readonly digests?: Digests | undefined;
  readonly conditions?: Conditions | undefined;
}

export interface GetOptions {
  /** An HTTP range, such as `bytes=0-3`. */
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly conditions?: Conditions | undefined;
  /** Headers that the response has instead of the stored ones. */
  readonly overrides?: StoredHeaders | undefined;
}

/** The options of CopyObject. */
export interface CopyOptions extends ObjectOptions {
  /** Where metadata and headers come from. Default: the source. */
  readonly directive?: string | undefined;
  readonly sourceConditions?: Conditions | undefined;
}

export interface CompleteOptions {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly conditions?: Conditions;
  /** The digests of the whole object. */
  readonly digests?: Pick<Digests, 'crc32'>;
}

export interface CopyPartOptions {
  readonly range?: string | undefined;
  readonly sourceConditions?: Conditions | undefined;
}

/** The result of writing data. ETags are unquoted. */
export interface Written {
  readonly etag: string;
  /** The digests that the dialect returns: `returnedDigests` of its traits. */
  readonly digests: Digests;
  readonly http: Answer;
}

export interface Copied {
  readonly etag: string;
  readonly lastModified: Date;
}

/** The result of GetObjectMeta. */
export interface ObjectDescription extends StoredHeaders {
  /** The number of bytes in the response, or that GetObject would return. */
  readonly size: number;
  readonly etag: string;
  readonly lastModified: Date;
  readonly metadata: Readonly<Record<string, string>>;
  readonly storageClass: string;
  readonly digests: Digests;
  /** The offset for the next append. Only appendable objects have it. */
  readonly appendOffset: number | undefined;
  /** Only for a range: its first and last byte, both included, and the size of the object. */
  readonly range:
    | { readonly first: number; readonly last: number; readonly of: number }
    | undefined;
  /** The HTTP response, for assertions about its headers. */
  readonly http: Answer;
}

export interface Download extends ObjectDescription {
  readonly body: Buffer;
  readonly text: string;
}

/** A download whose head has arrived and whose data has not been read yet. */
export interface RunningDownload {
  readonly description: ObjectDescription;
  /** Reads all data. Rejects if the response breaks off. */
  read(): Promise<Buffer>;
  /** Cancels the download. */
  cancel(): void;
}

export interface Owner {
  readonly id: string;
  readonly displayName: string;
}
