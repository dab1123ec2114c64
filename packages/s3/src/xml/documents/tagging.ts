import { document, KIB, type Read } from '../document.js';
import { fields, many, one, text } from '../shapes.js';

export const tag = fields({ Key: one(text), Value: one(text) });

/** The body of PutObjectTagging and PutBucketTagging, and the field `tagging` of a form. */
export const tagging = document(
  'Tagging',
  fields({ TagSet: one(fields({ Tag: many(tag, 0, 1000) })) }),
  { maxBytes: 512 * KIB, maxNodes: 3100 },
);

export type Tagging = Read<typeof tagging>;
