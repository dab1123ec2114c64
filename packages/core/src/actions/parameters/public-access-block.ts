import * as v from 'valibot';
import type { PublicAccessBlock } from '../../engine/records/buckets.js';
import { defined, record, structure } from './schema.js';

/** A member that is left out means false. */
export type GivenPublicAccessBlock = { readonly [Name in keyof PublicAccessBlock]?: boolean };

const flag = v.exactOptional(defined(v.boolean('must be true or false')), false);

export const publicAccessBlock = structure<PublicAccessBlock, GivenPublicAccessBlock>(
  record({
    blockPublicAcls: flag,
    ignorePublicAcls: flag,
    blockPublicPolicy: flag,
    restrictPublicBuckets: flag,
  }),
).required();
