import type { ErrorCode } from '@bucketware/core';
import type { Digests } from './values.js';

/** Features that not every dialect has. Cases that need one are omitted for dialects without it. */
export type Capability =
  /** AppendObject. */
  | 'append'
  /** RenameObject. */
  | 'rename'
  /** Grants with LIST, MODIFY, Deny and resources. */
  | 'grant-rules'
  /** An object may have no access control list, so that the list of its bucket applies. */
  | 'absent-object-acl'
  /** GetObject with parameters that override headers of its response. */
  | 'overrides'
  /** Metadata that CompleteMultipartUpload adds. */
  | 'metadata-at-completion'
  /** MD5, SHA-256 and CRC-32 that are sent with the data. */
  | 'digests'
  /** Lists of buckets are returned exactly as they were set, even without the owner. */
  | 'exact-lists'
  /** Ranges of copied parts may omit the position of the first or the last byte. */
  | 'open-part-ranges';

/** How the behaviour of dialects differs. */
export interface Traits {
  readonly offers: ReadonlySet<Capability>;
  /** The minimum size of every part of an upload but the last, in bytes. */
  readonly minPartBytes: number;
  /** The ETag of an object made of parts with these ETags. */
  completedEtag(parts: readonly string[]): string;
  /** Whether deleting a key that does not exist succeeds. If not, it fails with NoSuchKey. */
  readonly removesAbsentKeys: boolean;
  /** Whether the name of a bucket may contain dots. */
  readonly bucketNamesWithDots: boolean;
  /** Whether the owner may create a bucket again, which leaves it unchanged. */
  readonly recreatesBuckets: boolean;
  /** Whether metadata with an empty value is stored. If not, it is ignored. */
  readonly keepsEmptyMetadata: boolean;
  /** The code of the error for If-Match when there is no object. */
  readonly absentMatch: ErrorCode;
  /** The code of the error for too many CORS or lifecycle rules. */
  readonly invalidRules: ErrorCode;
  /** The code of the error for a part number that is not a whole number. */
  readonly oddPartNumber: ErrorCode;
  /** The code of the error for DeleteMultipleObjects with more than 1,000 keys. */
  readonly tooManyKeys: ErrorCode;
  /** The maximum length of a key, in bytes of UTF-8. */
  readonly maxKeyBytes: number;
  /** The storage classes of objects. The first is STANDARD; the last ones are colder. */
  readonly storageClasses: readonly string[];
  /** The digests of written data that are returned in addition to the ETag. */
  readonly returnedDigests: readonly (keyof Digests)[];
}
