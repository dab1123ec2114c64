import { createHash } from 'node:crypto';
import type { Conventions } from '@bucketware/core/dialect';

/** Every part but the last has at least 5 MiB, and the ETag ends with the number of parts. */
export const conventions: Conventions = {
  minPartBytes: 5 * 2 ** 20,
  completedETag(parts) {
    const hash = createHash('md5');
    for (const etag of parts) hash.update(etag, 'hex');
    return `${hash.digest('hex')}-${parts.length}`;
  },
  bucketNamesWithDots: true,
  recreatesBuckets: 'same',
  listersSeeMissingKeys: true,
  exactPartRanges: true,
  describesFully: true,
  listsCorsMethods: true,
};
