import { document, KIB, type Read } from '../document.js';
import { fields, flag, many, one, optional, text, token } from '../shapes.js';

/** The body of DeleteObjects. `ETag`, `LastModifiedTime` and `Size` are conditions. */
export const deleteObjects = document(
  'Delete',
  fields({
    Object: many(
      fields({
        Key: one(text),
        VersionId: optional(token),
        ETag: optional(token),
        LastModifiedTime: optional(token),
        Size: optional(token),
      }),
      1,
      1000,
    ),
    Quiet: optional(flag),
  }),
  // Room for a thousand keys of 1 KiB, each byte of which may be written with 5 or 6.
  { maxBytes: 8192 * KIB, maxNodes: 6_100 },
);

export type DeleteObjects = Read<typeof deleteObjects>;
