import { createHash } from 'node:crypto';
import { hasAcl } from '../engine/objects/object-acl.js';
import { completeUpload } from '../engine/uploads/complete.js';
import type { ListedPart } from '../engine/uploads/part-choice.js';
import { StorageError } from '../errors.js';
import { comparesObject, requireWritable, unquote, writeConditions } from '../http/conditions.js';
import { wholeDigestHeaders } from '../http/digest-headers.js';
import { isObject, json } from '../http/fields.js';
import { onTop, storedHeaders } from '../http/object-headers.js';
import { operation } from '../http/operation.js';
import { uploadId } from '../http/part-input.js';
import { json as jsonAnswer } from '../http/render.js';
import { MAX_PART_LIST_BYTES, MAX_PARTS } from '../limits.js';

/**
 * Joins the listed parts into one object. No byte is moved, so the time does not depend on their
 * sizes. Parts that were uploaded but are not listed are dropped. A retry with the same list gets
 * the same answer for a day, as long as the object is still the one that this upload made.
 */
export const completeMultipartUpload = operation({
  name: 'CompleteMultipartUpload',
  route: { method: 'POST', on: 'object', query: ['uploadId'] },
  permission: 'WRITE',
  modifies: true,
  // It only asks for a header of the answer.
  ignores: ['x-svc-content-crc32c-flag'],
  takes: 'json',
  // Of 10,000 parts in a megabyte each has five, and no room for more than twelve.
  json: {
    maxBytes: MAX_PART_LIST_BYTES,
    maxStructural: 12 * MAX_PARTS,
    tooLarge: 'EntityTooLarge',
  },
  input: {
    uploadId,
    parts: json<readonly ListedPart[], readonly GivenPart[]>('parts', partList),
    metadata: storedHeaders.metadata,
    ...wholeDigestHeaders,
    ...writeConditions,
  },

  async run(call) {
    const { store, bucket, key, input, url, permit, needs, announce } = call;
    if (comparesObject(input)) await needs('READ');
    let setsAcl = false;
    const { object, again } = await completeUpload(store, {
      admitted: permit,
      upload: { bucket, key, uploadId: input.uploadId },
      parts: input.parts,
      list: digestOf(input.parts),
      crc32: input.contentCrc32,
      signal: call.signal(),
      reading: call.reading,
      metadata: (initiated) => onTop(initiated, input.metadata),
      async guard(upload, existing) {
        requireWritable(input, existing);
        // Who began the upload with a list may have lost the right to set one.
        if (hasAcl(upload) && !setsAcl) await needs('FULL_CONTROL', 'PutObjectAcl');
        setsAcl = true;
      },
    });
    const { size, etag, crc32 } = object;
    if (!again) announce('object:created', { key, size, etag });
    return { bucket: bucket.name, key, etag, crc32, location: url() };
  },

  respond({ etag: eTag, crc32, bucket, key, location }) {
    const answer = jsonAnswer(200, { bucket, key, eTag, location });
    if (crc32 === undefined) return answer;
    const headers = { ...answer.headers, 'x-svc-content-crc32': String(crc32) };
    return { ...answer, headers };
  },
});

/** A program may write the ETag as results have it, or as the answers over HTTP. */
type GivenPart = { readonly partNumber: number } & (
  | { readonly etag: string }
  | { readonly eTag: string }
  | { readonly ETag: string }
);

function partList(parts: unknown): readonly ListedPart[] {
  if (!Array.isArray(parts) || parts.length === 0) {
    const message = 'parts must be a list such as [{"partNumber": 1, "eTag": "..."}].';
    throw new StorageError('InappropriateJSON', message);
  }
  let last = 0;
  return parts.map((part: unknown) => {
    const tag = isObject(part) ? (part.eTag ?? part.ETag ?? part.etag) : undefined;
    if (!isObject(part) || typeof part.partNumber !== 'number' || typeof tag !== 'string') {
      throw new StorageError(
        'InappropriateJSON',
        'Each of the parts needs a partNumber and an eTag.',
      );
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
