import { BlobNotFoundError } from '../../contracts/blob-store.js';
import type { Segment } from '../records/content.js';
import type { ObjectRecord } from '../records/objects.js';
import type { Store } from '../store.js';

/** The last segment, if this opening may write to its blob, and if blobs can grow at all. */
export function tailOf(store: Store, { content, append }: ObjectRecord): Segment | undefined {
  if (store.blobs.append === undefined || append?.writer !== store.writer) return undefined;
  const tail = 'inline' in content ? undefined : content.segments.at(-1);
  return tail === undefined || store.tails.isSealed(tail.blob) ? undefined : tail;
}

/**
 * Call it under the lock. A blob whose write failed is sealed: what the disk contains after its end
 * is unknown. Resolves to false if the data must go to another blob.
 */
export async function writeTail(store: Store, tail: Segment, bytes: Uint8Array): Promise<boolean> {
  if (store.tails.isBehind(tail)) {
    store.tails.seal(tail.blob);
    return false;
  }
  const position = tail.offset + tail.length;
  try {
    const appended = await store.blobs.append?.(tail.blob, position, once(bytes));
    const end = position + bytes.length;
    if (appended?.size === end) return true;
    throw new Error(`The blob store has ${appended?.size} bytes where ${end} should be.`);
  } catch (error) {
    store.tails.seal(tail.blob);
    if (error instanceof BlobNotFoundError) return false; // The object was replaced meanwhile.
    throw error;
  }
}

export async function* once(bytes: Uint8Array) {
  yield bytes;
}
