/** Options of every method. */
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

export interface Grantee {
  /** A user id. `*`: everyone. */
  readonly id: string;
  readonly tenantId?: string;
}

export interface Owner {
  readonly id: string;
  readonly displayName: string;
}

export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}
