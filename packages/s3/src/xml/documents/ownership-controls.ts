import { document, KIB, type Read } from '../document.js';
import { fields, many, one, oneOf } from '../shapes.js';

export const OWNERSHIPS = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const;

/** The body of PutBucketOwnershipControls. */
export const ownershipControls = document(
  'OwnershipControls',
  fields({ Rule: many(fields({ ObjectOwnership: one(oneOf(...OWNERSHIPS)) }), 1, 1) }),
  { maxBytes: 4 * KIB, maxNodes: 20 },
);

export type OwnershipControls = Read<typeof ownershipControls>;
