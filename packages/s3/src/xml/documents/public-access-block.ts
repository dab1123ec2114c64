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
  { maxBytes: 4 * KIB, maxNodes: 20 },
);

export type PublicAccessBlock = Read<typeof publicAccessBlock>;
