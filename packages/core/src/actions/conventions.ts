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
   * Whether creating a bucket succeeds, without a change, if the caller already owns it: `never`,
   * with the `same` access control list, where none counts as private, or with `any` if the request
   * has none.
   */
  readonly recreatesBuckets: 'never' | 'same' | 'any';
  /** Whether a caller who may list a bucket but not read it gets NoSuchKey for a missing object. */
  readonly listersSeeMissingKeys: boolean;
  /**
   * Whether the range of a copied part must lie within the source. Otherwise the range is truncated
   * at the end of the source.
   */
  readonly exactPartRanges: boolean;
  /**
   * Whether the response to a read includes the number of tags and the lifecycle rule that will
   * remove the object.
   */
  readonly describesFully: boolean;
  /** Whether every response to a page that a CORS rule allows lists the methods of the rule. */
  readonly listsCorsMethods: boolean;
}

/**
 * The conventions of the JSON interface, most of which apply to programs as well. The ETag of an object
 * with one part is the part's MD5; with more parts, it is a dash and the MD5 of their concatenated
 * hexadecimal ETags (CompleteMultipartUpload).
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
  recreatesBuckets: 'never',
  listersSeeMissingKeys: false,
  exactPartRanges: false,
  describesFully: false,
  listsCorsMethods: false,
};

/**
 * The conventions of calls from programs, which use the buckets of every dialect and get all
 * details. A program creates its buckets each time that it starts. If it had to ignore
 * BucketAlreadyExists, it would also use the bucket of somebody else.
 */
export const conventionsOfPrograms: Conventions = {
  ...conventions,
  bucketNamesWithDots: true,
  recreatesBuckets: 'any',
  describesFully: true,
};
