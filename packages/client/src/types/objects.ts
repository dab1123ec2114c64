import type { Body } from '../http/body.js';
import type { ObjectName, OfObject, OfUpload, ReadConditions, WriteConditions } from './common.js';
import type { ObjectAclOptions } from './settings.js';

export interface StoredHeaders {
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly contentLanguage?: string | undefined;
  readonly contentDisposition?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly expires?: Date | string | undefined;
}

/** What is stored with an object. */
export interface ObjectOptions extends StoredHeaders, ObjectAclOptions {
  /** Names are converted to lower case. At most 2 KB in total. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly storageClass?: string | undefined;
}

/** Digests that the server compares with the received data. */
export interface Digests {
  /** In Base64. */
  readonly contentMd5?: string | undefined;
  /** In hexadecimal. */
  readonly contentSha256?: string | undefined;
  readonly contentCrc32?: number | undefined;
}

export interface PutObject extends OfObject, ObjectOptions, Digests, WriteConditions {
  readonly body: Body;
  /** Called with the number of bytes sent so far, if the browser reports it. */
  readonly onProgress?: ((loaded: number) => void) | undefined;
}

/** What was stored. */
export interface Written {
  readonly etag: string;
  /**
   * The CRC-32 of the object or part; `undefined` if the page has another origin that may not read
   * the header.
   */
  readonly contentCrc32: number | undefined;
}

export interface AppendObject extends OfObject, ObjectOptions, Digests {
  readonly body: Body;
  /** The size of the object. Without it, a new object replaces any with this key. */
  readonly offset?: number | undefined;
  /**
   * Any unique text. If one of the last 16 appends had the same id and data, the call changes
   * nothing.
   */
  readonly appendId?: string | undefined;
  /** Without `offset`: only if no object has this key. */
  readonly forbidOverwrite?: boolean | undefined;
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
  /**
   * The size of the whole object, in bytes. NaN for a range whose `Content-Range` the CORS rule hides
   * from the page.
   */
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
  /** Whether the data is the requested range. False after a request for one: a proxy ignored it. */
  readonly isPartial: boolean;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  text(): Promise<string>;
  json<T = unknown>(): Promise<T>;
  blob(): Promise<Blob>;
}

export interface CopyObject extends OfObject, ObjectOptions, ReadConditions {
  readonly source: ObjectName;
  /** `copy` (default): headers and metadata of the source. `replace`: those given here. */
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

export interface DeleteFailure {
  readonly key: string;
  readonly code: string;
  readonly message: string;
}
