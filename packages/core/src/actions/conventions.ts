import { createHash } from 'node:crypto';
import { MIN_PART_BYTES } from '../limits.js';

/** In what dialects differ beyond their words: each caller gets what its own dialect promises. */
export interface Conventions {
  /** The fewest bytes of a part that is not the last one. */
  readonly minPartBytes: number;
  /** The ETag of an object that was completed from parts with these ETags, in their order. */
  readonly completedETag: (parts: readonly string[]) => string;
}

/**
 * Those of the JSON interface, which hold for programs as well. One part: its MD5. More: a dash and
 * the MD5 of their hexadecimal ETags, one after the other (CompleteMultipartUpload).
 */
export const conventions: Conventions = {
  minPartBytes: MIN_PART_BYTES,
  completedETag([only, ...more]) {
    if (more.length === 0) return only as string;
    const hash = createHash('md5').update(only as string);
    for (const etag of more) hash.update(etag);
    return `-${hash.digest('hex')}`;
  },
};
