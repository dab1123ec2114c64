import { createHash } from 'node:crypto';
import type { Traits } from '../actions/traits.js';

function completedEtag(parts: readonly string[]): string {
  const hash = createHash('md5');
  for (const etag of parts) hash.update(etag, 'hex');
  return `${hash.digest('hex')}-${parts.length}`;
}

/** How S3 differs from other dialects. */
export const traits: Traits = {
  offers: new Set(['overrides', 'digests']),
  minPartBytes: 5 * 2 ** 20,
  completedEtag,
  removesAbsentKeys: true,
  bucketNamesWithDots: true,
  recreatesBuckets: true,
  keepsEmptyMetadata: true,
  absentMatch: 'NoSuchKey',
  invalidRules: 'InappropriateJSON',
  oddPartNumber: 'InappropriateJSON',
  tooManyKeys: 'InappropriateJSON',
  maxKeyBytes: 1023,
  storageClasses: ['STANDARD', 'STANDARD_IA', 'GLACIER_IR'],
  returnedDigests: ['crc32'],
};
