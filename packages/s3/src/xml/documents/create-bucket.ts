import { document, KIB, type Read } from '../document.js';
import { fields, many, optional, token } from '../shapes.js';
import { tag } from './tagging.js';

/** The optional body of CreateBucket. */
export const createBucketConfiguration = document(
  'CreateBucketConfiguration',
  fields({
    LocationConstraint: optional(token),
    Location: optional(fields({ Name: optional(token), Type: optional(token) })),
    Bucket: optional(fields({ DataRedundancy: optional(token), Type: optional(token) })),
    Tags: optional(fields({ Tag: many(tag, 0, 50) })),
  }),
  { maxBytes: 64 * KIB, maxNodes: 300 },
);

export type CreateBucketConfiguration = Read<typeof createBucketConfiguration>;
