import { createHash } from 'node:crypto';
import { hasAcl } from '../engine/objects/object-acl.js';
import { completeUpload } from '../engine/uploads/complete.js';
import type { ListedPart } from '../engine/uploads/part-choice.js';
import { StorageError } from '../errors.js';
import { MAX_PARTS } from '../limits.js';
import { action } from './action.js';
import type { Author } from './author.js';
import { comparesObject, requireWritable, unquote, writeConditions } from './conditions.js';
import { contentCrc32 } from './digests.js';
import { onTop, storedHeaders } from './object-headers.js';
import { isObject, parameter } from './parameter.js';
import { uploadId } from './part-parameters.js';

/**
 * Joins the listed parts into one object. No byte is moved, so the time does not depend on their
 * sizes. Parts that were uploaded but are not listed are dropped. A retry with the same list gets
 * the same answer for a day, as long as the object is still the one that this upload made.
 */
export const completeMultipartUpload = action({
  name: 'CompleteMultipartUpload',
  on: 'object',
  permission: 'WRITE',
  modifies: true,
  takes: 'nothing',
  parameters: {
    uploadId,
    parts: parameter<readonly ListedPart[], readonly GivenPart[]>(partList).required(),
    metadata: storedHeaders.metadata,
    contentCrc32,
    ...writeConditions,
  },

  async run(call) {
    const { store, bucket, key, input, permit, conventions } = call;
    if (comparesObject(input)) await call.needs('READ');
    let setsAcl = false;
    const { etag, crc32 } = await completeUpload(store, {
      admitted: permit,
      upload: { bucket, key, uploadId: input.uploadId },
      parts: input.parts,
      list: digestOf(input.parts),
      crc32: input.contentCrc32,
      minPartBytes: conventions.minPartBytes,
      completedETag: conventions.completedETag,
      signal: call.signal(),
      reading: (task) => call.reading(task),
      metadata: (initiated) => onTop(initiated, input.metadata),
      async guard(upload, existing) {
        requireWritable(input, existing);
        // Who began the upload with a list may have lost the right to set one.
        if (hasAcl(upload) && !setsAcl) await call.needs('FULL_CONTROL', 'PutObjectAcl');
        setsAcl = true;
      },
    });
    return { bucket: bucket.name, key, etag, crc32 };
  },
});

/** A program may write the ETag as results have it, or as the answers over HTTP. */
type GivenPart = { readonly partNumber: number } & (
  | { readonly etag: string }
  | { readonly eTag: string }
  | { readonly ETag: string }
);

function partList(parts: unknown, author: Author): readonly ListedPart[] {
  if (!Array.isArray(parts) || parts.length === 0) {
    const message = 'parts must be a list such as [{"partNumber": 1, "eTag": "..."}].';
    throw author.malformed(message);
  }
  let last = 0;
  return parts.map((part: unknown) => {
    const tag = isObject(part) ? (part.eTag ?? part.ETag ?? part.etag) : undefined;
    if (!isObject(part) || typeof part.partNumber !== 'number' || typeof tag !== 'string') {
      throw author.malformed('Each of the parts needs a partNumber and an eTag.');
    }
    const { partNumber } = part;
    if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > MAX_PARTS) {
      const message = `A part number must be a whole number from 1 to ${MAX_PARTS}.`;
      throw new StorageError('InvalidArgument', message);
    }
    if (partNumber <= last) throw new StorageError('InvalidPartOrder');
    last = partNumber;
    return { partNumber, etag: unquote(tag).toLowerCase() };
  });
}

/** Kept with the result of the upload: stores that are there know this form of the list. */
function digestOf(parts: readonly ListedPart[]): string {
  const list = parts.map(({ partNumber, etag: eTag }) => ({ partNumber, eTag }));
  return createHash('sha256').update(JSON.stringify(list)).digest('hex');
}
