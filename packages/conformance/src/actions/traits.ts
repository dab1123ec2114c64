import type { ErrorCode } from '@bucketware/core';
import type { Digests } from './values.js';

/** What not every dialect has. A case that needs one of them is left out where it is lacking. */
export type Capability =
  /** AppendObject. */
  | 'append'
  /** RenameObject. */
  | 'rename'
  /** Grants with LIST, MODIFY, Deny and resources. */
  | 'grant-rules'
  /** A list of an object that can be absent, so that the one of its bucket holds. */
  | 'absent-object-acl'
  /** A GetObject that says how the next answer's headers read. */
  | 'overrides'
  /** Metadata that CompleteMultipartUpload adds. */
  | 'metadata-at-completion'
  /** MD5, SHA-256 and CRC-32 that are sent with the bytes. */
  | 'digests'
  /** Lists of buckets that are shown grant by grant as they were set, also without the owner. */
  | 'exact-lists'
  /** Ranges of copied parts that leave out their first or last byte. */
  | 'open-part-ranges';

/** Where dialects differ in what they do. */
export interface Traits {
  readonly offers: ReadonlySet<Capability>;
  /** The least that each part but the last of an upload may have, in bytes. */
  readonly minPartBytes: number;
  /** The ETag of an object that was made of parts with these ETags. */
  completedEtag(parts: readonly string[]): string;
  /** Whether it is a success to delete a key that does not exist, or NoSuchKey. */
  readonly removesAbsentKeys: boolean;
  /** Whether a bucket's name may have dots between its letters. */
  readonly bucketNamesWithDots: boolean;
  /** Whether the owner may create a bucket again, and gets it as it is. */
  readonly recreatesBuckets: boolean;
  /** Whether user metadata may be empty, or is none then. */
  readonly keepsEmptyMetadata: boolean;
  /** The code with which If-Match is refused when there is no object. */
  readonly absentMatch: ErrorCode;
  /** The code with which more CORS or lifecycle rules are refused than a bucket may have. */
  readonly invalidRules: ErrorCode;
  /** The code with which a part number is refused that is no whole number. */
  readonly oddPartNumber: ErrorCode;
  /** The code with which DeleteMultipleObjects refuses more than 1,000 keys. */
  readonly tooManyKeys: ErrorCode;
  /** The most bytes of UTF-8 that a key may have. */
  readonly maxKeyBytes: number;
  /** Storage classes that objects may have; the last ones are colder than the first, STANDARD. */
  readonly storageClasses: readonly string[];
  /** What is answered of bytes that were written, next to the ETag. */
  readonly answeredDigests: readonly (keyof Digests)[];
}
