import type { Checksums } from '../checksums/index.js';
import { hasCode } from '../errors.js';
import * as lists from '../lists.js';
import type { Operations } from '../operations.js';
import type { OfObject, OfUpload, PartItem } from '../types.js';
import type { Piece } from './source.js';

/** An upload that was started earlier, with the parts that have arrived. */
export interface Unfinished {
  readonly uploadId: string;
  readonly parts: ReadonlyMap<number, PartItem>;
}

export async function partsOf(client: Operations, upload: OfUpload): Promise<Unfinished> {
  const parts = new Map<number, PartItem>();
  for await (const part of lists.parts(client, upload)) parts.set(part.partNumber, part);
  return { uploadId: upload.uploadId, parts };
}

/** Whether a part has the data of this piece: the ETag of a part is the MD5 of its data. */
export const isPiece = (
  part: PartItem | undefined,
  { bytes }: Piece,
  { md5 }: Checksums,
): part is PartItem => part?.size === bytes.length && part.etag === md5(bytes);

/**
 * Finds, among these uploads, one that the caller has started and whose first part is the first
 * piece of this upload. Undefined: there is none, or the caller may not list buckets, uploads or
 * parts.
 */
export async function findUnfinished(
  client: Operations,
  { bucket, key, signal }: OfObject,
  started: ReadonlySet<string>,
  first: Piece,
  checksums: Checksums,
): Promise<Unfinished | undefined> {
  if (started.size === 0) return undefined;
  try {
    // Another user may have logged in meanwhile, and must not complete an object of the first.
    const { owner: caller } = await client.listBuckets({ prefix: bucket, signal });
    const page = await client.listMultipartUploads({ bucket, prefix: key, signal });
    const own = page.uploads.filter(
      (one) => one.key === key && one.owner.id === caller.id && started.has(one.uploadId),
    );
    // The newest one was interrupted last.
    for (const { uploadId } of own.reverse()) {
      const name = { bucket, key, uploadId, signal };
      const [part] = (await client.listParts({ ...name, maxParts: 1 })).parts;
      if (part?.partNumber === 1 && isPiece(part, first, checksums)) return partsOf(client, name);
    }
  } catch (error) {
    if (!hasCode(error, 'AccessDenied', 'NoSuchUpload')) throw error;
  }
  return undefined;
}
