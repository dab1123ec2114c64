import { StorageError } from '../errors.js';
import type { Bucket } from './buckets.js';
import { uploadPrefix } from './keys.js';
import { pages, type Store } from './store.js';

/** So many buckets are remembered. */
const MAX_REMEMBERED = 10_000;

/**
 * Throws BucketObjectNumExceeded when the bucket has as many unfinished uploads as are allowed.
 * They are counted when half of the room that was left the last time is used up: seldom while there
 * are few, and each time when there are nearly too many. Other processes count for themselves.
 */
export async function requireRoom(store: Store, bucket: Bucket): Promise<void> {
  const { uploadRoom, settings } = store;
  const left = uploadRoom.get(bucket.id) ?? 0;
  if (left > 0) {
    uploadRoom.set(bucket.id, left - 1);
    return;
  }
  const room = settings.maxUploadsPerBucket - (await count(store, bucket));
  if (room <= 0) {
    uploadRoom.delete(bucket.id);
    throw new StorageError('BucketObjectNumExceeded');
  }
  const [oldest] = uploadRoom.keys();
  if (uploadRoom.size >= MAX_REMEMBERED) uploadRoom.delete(oldest as string);
  uploadRoom.set(bucket.id, Math.floor((room - 1) / 2));
}

async function count({ metadata, settings }: Store, { id }: Bucket): Promise<number> {
  let found = 0;
  for await (const page of pages(metadata, uploadPrefix(id))) {
    found += page.length;
    if (found >= settings.maxUploadsPerBucket) break;
  }
  return found;
}
