import type { Answer } from '../http/answer.js';
import type { Body } from '../http/wire.js';

export type { Body };

/** A key, or a key as it stands in the path of a url. */
export type Key = string | { readonly encoded: string };

export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

export interface UploadName extends ObjectName {
  readonly uploadId: string;
}

/** The headers that an object keeps and sends back. */
export interface StoredHeaders {
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly contentLanguage?: string | undefined;
  readonly contentDisposition?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly expires?: string | undefined;
}

/** Digests of bytes: MD5 and SHA-256 in hex, CRCs as decimal numbers. */
export interface Digests {
  readonly md5?: string | undefined;
  readonly sha256?: string | undefined;
  readonly crc32?: string | undefined;
}

/** Conditions of HTTP (RFC 9110 section 13), as their fields are written there. */
export interface Conditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifUnmodifiedSince?: string | undefined;
}

export type Permission = 'READ' | 'LIST' | 'WRITE' | 'MODIFY' | 'FULL_CONTROL';

/** What somebody is granted, or denied. Users are named by their ids, and `*` is everybody. */
export interface Grant {
  readonly grantees: readonly string[];
  readonly permissions: readonly Permission[];
  readonly effect?: 'Allow' | 'Deny' | undefined;
  /** Names below which the grant counts: `<bucket>/<key>`, or a prefix before `*`. */
  readonly resources?: readonly string[] | undefined;
  /** Names for which the grant does not count. */
  readonly exceptResources?: readonly string[] | undefined;
}

/** Canned lists, and grants that are given while an object is made. */
export interface AclOptions {
  readonly acl?: string | undefined;
  readonly grantRead?: readonly string[] | undefined;
  readonly grantFullControl?: readonly string[] | undefined;
}

/** What an object is made with. */
export interface ObjectOptions extends StoredHeaders, AclOptions {
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly storageClass?: string | undefined;
}

export interface PutOptions extends ObjectOptions {
  readonly digests?: Digests | undefined;
  readonly conditions?: Conditions | undefined;
}

export interface GetOptions {
  /** A Range of HTTP, such as `bytes=0-3`. */
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly conditions?: Conditions | undefined;
  /** Headers that this answer has in place of the stored ones. */
  readonly overrides?: StoredHeaders | undefined;
}

/** How CopyObject makes the copy. */
export interface CopyOptions extends ObjectOptions {
  /** Where metadata and headers come from; default: the source. */
  readonly directive?: string | undefined;
  readonly sourceConditions?: Conditions | undefined;
}

export interface CompleteOptions {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly conditions?: Conditions;
  /** Of the whole object. */
  readonly digests?: Pick<Digests, 'crc32'>;
}

export interface CopyPartOptions {
  readonly range?: string | undefined;
  readonly sourceConditions?: Conditions | undefined;
}

/** What is answered for bytes that were written. ETags are bare. */
export interface Written {
  readonly etag: string;
  /** Those of the digests that the dialect answers: `answeredDigests` of its traits. */
  readonly digests: Digests;
  readonly http: Answer;
}

export interface Copied {
  readonly etag: string;
  readonly lastModified: Date;
}

/** What GetObjectMeta tells. */
export interface ObjectDescription extends StoredHeaders {
  /** How many bytes are sent, or would be. */
  readonly size: number;
  readonly etag: string;
  readonly lastModified: Date;
  readonly metadata: Readonly<Record<string, string>>;
  readonly storageClass: string;
  readonly digests: Digests;
  /** Where the next append goes on. Only appendable objects have it. */
  readonly appendOffset: number | undefined;
  /** Only in the answer to a range: its first and last byte, both included, and the object's size. */
  readonly range:
    | { readonly first: number; readonly last: number; readonly of: number }
    | undefined;
  /** The answer as it came, for what HTTP says of every object. */
  readonly http: Answer;
}

export interface Download extends ObjectDescription {
  readonly body: Buffer;
  readonly text: string;
}

/** A download that has its description, and whose bytes wait until they are read. */
export interface RunningDownload {
  readonly description: ObjectDescription;
  /** The bytes that came until the end of the answer. Rejects when they break off. */
  read(): Promise<Buffer>;
  /** Breaks the download off. */
  cancel(): void;
}

export interface Owner {
  readonly id: string;
  readonly displayName: string;
}
