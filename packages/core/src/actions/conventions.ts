import { createHash } from 'node:crypto';
import { MIN_PART_BYTES } from '../limits.js';

/** Where dialects differ beyond their syntax: each caller gets what its own dialect promises. */
export interface Conventions {
  /** The minimum size of a part that is not the last one, in bytes. */
  readonly minPartBytes: number;
  /** The ETag of an object that was completed from parts with these ETags, in their order. */
  readonly completedETag: (parts: readonly string[]) => string;
  /** Whether the names of buckets may have dots. */
  readonly bucketNamesWithDots: boolean;
  /**
   * Whether it is a success to create a bucket again that the caller owns, with the access control list
   * that it has. Nothing changes then.
   */
  readonly recreatesBuckets: boolean;
  /** Whether who may list a bucket, but not read it, gets NoSuchKey for what is not there. */
  readonly listersLearnAbsence: boolean;
  /** Whether the range of a copied part must lie within the source, instead of ending with it. */
  readonly exactPartRanges: boolean;
  /** Whether reading an object says how many tags it has and which lifecycle rule will remove it. */
  readonly describesFully: boolean;
  /** Whether a page that a CORS rule allows is told the methods of the rule with every response. */
  readonly tellsCorsMethods: boolean;
}

/**
 * The conventions of the JSON interface, which apply to programs as well. ETag of one part: its
 * MD5. Of more parts: a dash and the MD5 of their concatenated hexadecimal ETags
 * (CompleteMultipartUpload).
 */
export const conventions: Conventions = {
  minPartBytes: MIN_PART_BYTES,
  completedETag([only, ...more]) {
    if (more.length === 0) return only as string;
    const hash = createHash('md5').update(only as string);
    for (const etag of more) hash.update(etag);
    return `-${hash.digest('hex')}`;
  },
  bucketNamesWithDots: false,
  recreatesBuckets: false,
  listersLearnAbsence: false,
  exactPartRanges: false,
  describesFully: false,
  tellsCorsMethods: false,
};

/** Programs use the buckets of every dialect, and are told what is known. */
export const conventionsOfPrograms: Conventions = {
  ...conventions,
  bucketNamesWithDots: true,
  describesFully: true,
};
