import type { Checksums } from '../checksums/index.js';
import { hasCode } from '../errors.js';
import * as lists from '../lists.js';
import type { Operations } from '../operations.js';
import type { OfObject, OfUpload, PartItem } from '../types.js';
import type { Piece } from './source.js';

/** An upload that was begun earlier, and what has arrived of it. */
export interface Unfinished {
  readonly uploadId: string;
  readonly parts: ReadonlyMap<number, PartItem>;
}

export async function partsOf(client: Operations, upload: OfUpload): Promise<Unfinished> {
  const parts = new Map<number, PartItem>();
  for await (const part of lists.parts(client, upload)) parts.set(part.partNumber, part);
  return { uploadId: upload.uploadId, parts };
}

/** Whether a part is this piece: its ETag is the MD5 of its bytes. */
export const isPiece = (
  part: PartItem | undefined,
  { bytes }: Piece,
  { md5 }: Checksums,
): part is PartItem => part?.size === bytes.length && part.etag === md5(bytes);

/**
 * One of these uploads that the caller has started and whose first part is the first piece of this
 * one. Undefined: there is none, or the caller may not list buckets, uploads or parts.
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
    // Another user may have logged in meanwhile, who would finish an object of the first.
    const { owner: caller } = await client.listBuckets({ prefix: bucket, signal });
    const page = await client.listMultipartUploads({ bucket, prefix: key, signal });
    const own = page.uploads.filter(
      (one) => one.key === key && one.owner.id === caller.id && started.has(one.uploadId),
    );
    // The youngest is the one that was interrupted last.
    for (const { uploadId } of own.reverse()) {
      const name = { bucket, key, uploadId, signal };
      const { parts } = await client.listParts({ ...name, maxParts: 1 });
      const [part] = parts;
      if (part?.partNumber === 1 && isPiece(part, first, checksums)) return partsOf(client, name);
    }
  } catch (error) {
    if (!hasCode(error, 'AccessDenied', 'NoSuchUpload')) throw error;
  }
  return undefined;
}
