import { md5 } from '../actions/tools.js';
import type { Capability, Traits } from '../actions/traits.js';

const OFFERS: readonly Capability[] = [
  ...(['append', 'rename', 'grant-rules', 'absent-object-acl', 'overrides'] as const),
  ...(['metadata-at-completion', 'digests', 'exact-lists', 'open-part-ranges'] as const),
];

/** How this dialect differs from others. */
export const traits: Traits = {
  offers: new Set(OFFERS),
  minPartBytes: 102_400,
  completedEtag: ([first = '', ...rest]) =>
    rest.length === 0 ? first : `-${md5([first, ...rest].join(''))}`,
  removesAbsentKeys: false,
  bucketNamesWithDots: false,
  recreatesBuckets: false,
  keepsEmptyMetadata: false,
  absentMatch: 'PreconditionFailed',
  invalidRules: 'InvalidArgument',
  oddPartNumber: 'InvalidArgument',
  tooManyKeys: 'InvalidArgument',
  maxKeyBytes: 1023,
  storageClasses: ['STANDARD', 'STANDARD_IA', 'COLD', 'ARCHIVE', 'MAZ_COLD'],
  returnedDigests: ['md5', 'crc32'],
};
