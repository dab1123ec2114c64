import type { ErrorCode } from '@bucketware/core';
import type { Owner } from './values.js';

/** Pages of listings, and how they are requested. */

export interface BucketList {
  readonly owner: Owner;
  readonly buckets: readonly { readonly name: string; readonly created: Date }[];
}

export interface ListOptions {
  readonly prefix?: string | undefined;
  readonly delimiter?: string | undefined;
  /** The listing starts strictly after it. */
  readonly marker?: string | undefined;
  readonly maxKeys?: number | undefined;
}

export interface ListedObject {
  readonly key: string;
  readonly etag: string;
  readonly size: number;
  readonly lastModified: Date;
  readonly storageClass: string;
  readonly owner: Owner;
}

export interface ObjectPage {
  readonly bucket: string;
  readonly prefix: string;
  readonly delimiter: string | undefined;
  readonly marker: string;
  readonly maxKeys: number;
  readonly truncated: boolean;
  readonly nextMarker: string | undefined;
  readonly objects: readonly ListedObject[];
  readonly keys: readonly string[];
  /** Common prefixes. */
  readonly prefixes: readonly string[];
}

export interface PartListOptions {
  readonly marker?: number | undefined;
  readonly maxParts?: number | undefined;
}

/** A part as CompleteMultipartUpload lists it. */
export interface PartName {
  readonly number: number;
  readonly etag: string;
}

export interface ListedPart extends PartName {
  readonly size: number;
  readonly lastModified: Date;
}

export interface PartPage {
  readonly bucket: string;
  readonly key: string;
  readonly uploadId: string;
  readonly owner: Owner;
  /** Not every dialect returns it. */
  readonly initiated: Date | undefined;
  readonly storageClass: string;
  readonly marker: number;
  readonly nextMarker: number;
  readonly maxParts: number;
  readonly truncated: boolean;
  readonly parts: readonly ListedPart[];
  readonly numbers: readonly number[];
}

export interface UploadListOptions {
  readonly prefix?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly keyMarker?: string | undefined;
  readonly uploadIdMarker?: string | undefined;
  readonly maxUploads?: number | undefined;
}

export interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly owner: Owner;
  readonly initiated: Date;
  readonly storageClass: string;
}

export interface UploadPage {
  readonly bucket: string;
  readonly prefix: string;
  readonly delimiter: string | undefined;
  readonly keyMarker: string;
  readonly nextKeyMarker: string | undefined;
  readonly nextUploadIdMarker: string | undefined;
  readonly maxUploads: number;
  readonly truncated: boolean;
  readonly uploads: readonly ListedUpload[];
  readonly keys: readonly string[];
  /** Common prefixes. */
  readonly prefixes: readonly string[];
}

export interface Completed {
  readonly bucket: string;
  readonly key: string;
  readonly etag: string;
  readonly location: string;
}

/** An object that DeleteMultipleObjects did not delete. */
export interface DeleteFailure {
  readonly key: string;
  readonly code: ErrorCode;
}
