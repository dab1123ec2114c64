import { document, KIB, type Read } from '../document.js';
import { fields, many, one, optional, token, whole } from '../shapes.js';

/** The body of CompleteMultipartUpload. ETags are as they were sent, quoted or not. */
export const completeMultipartUpload = document(
  'CompleteMultipartUpload',
  fields({
    Part: many(
      fields({
        PartNumber: one(whole),
        ETag: one(token),
        ChecksumCRC32: optional(token),
        ChecksumCRC32C: optional(token),
        ChecksumCRC64NVME: optional(token),
        ChecksumSHA1: optional(token),
        ChecksumSHA256: optional(token),
      }),
      1,
      10_000,
    ),
  }),
  { maxBytes: 4096 * KIB, maxNodes: 80_100 },
);

export type CompleteMultipartUpload = Read<typeof completeMultipartUpload>;
