import { document, KIB, type Read } from '../document.js';
import { fields, flag, optional } from '../shapes.js';

/** The body of PutPublicAccessBlock. */
export const publicAccessBlock = document(
  'PublicAccessBlockConfiguration',
  fields({
    BlockPublicAcls: optional(flag),
    IgnorePublicAcls: optional(flag),
    BlockPublicPolicy: optional(flag),
    RestrictPublicBuckets: optional(flag),
  }),
  4 * KIB,
);

export type PublicAccessBlock = Read<typeof publicAccessBlock>;
