import type { InBucket, OfUpload, Owner } from './common.js';

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
  /** One character. With `/`, what looks like a folder becomes one common prefix. */
  readonly delimiter?: string | undefined;
  /** The page starts after this key. */
  readonly marker?: string | undefined;
  /** Default and maximum 1,000. */
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
