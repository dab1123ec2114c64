import { document, KIB, type Read } from '../document.js';
import { fields, many, optional, token, whole } from '../shapes.js';

const rule = fields({
  ID: optional(token),
  AllowedOrigin: many(token, 1, 10_000),
  AllowedMethod: many(token, 1, 10_000),
  AllowedHeader: many(token, 0, 10_000),
  ExposeHeader: many(token, 0, 10_000),
  MaxAgeSeconds: optional(whole),
});

/** The body of PutBucketCors. */
export const corsConfiguration = document(
  'CORSConfiguration',
  fields({ CORSRule: many(rule, 1, 100) }),
  { maxBytes: 128 * KIB, maxNodes: 10_000 },
);

export type CorsConfiguration = Read<typeof corsConfiguration>;
