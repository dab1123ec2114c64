import { StorageError } from '../../errors.js';
import { uploadRecords, uploadsOf } from '../records/uploads.js';
import type { Store, UploadRoom } from '../store.js';

/** How many buckets are remembered. */
const MAX_REMEMBERED = 10_000;

/**
 * How long the uploads of a full bucket are not counted again, in milliseconds. Meanwhile, only
 * other processes could make room.
 */
const FULL_FOR = 5000;

/**
 * If there is room for no more than this, all of it is used before the next count; otherwise half.
 */
const LITTLE_ROOM = 100;

/** A record of an upload has up to 17 KB, so about a megabyte is decoded at a time. */
const PAGE = 64;

/**
 * Starts an upload. Throws BucketObjectNumExceeded when the bucket has reached the limit of
 * unfinished uploads. The uploads are rarely counted, because that may read thousands of records:
 * in between, this process tracks the uploads that it starts and ends. Other processes count
 * separately.
 */
export async function withinUploadLimit<T>(
  store: Store,
  bucketId: string,
  begin: () => Promise<T>,
): Promise<T> {
  const room = roomOf(store, bucketId);
  while (room.left <= 0 || room.counting !== undefined) {
    if (isFull(store, room)) throw new StorageError('BucketObjectNumExceeded');
    room.counting ??= recount(store, bucketId, room).finally(() => {
      room.counting = undefined;
    });
    await room.counting;
  }
  room.left--;
  const beginning = begin();
  room.beginning.add(beginning);
  try {
    return await beginning;
  } finally {
    room.beginning.delete(beginning);
  }
}

/** An upload of the bucket has ended, so another may begin. */
export function releaseUpload({ uploadRoom }: Store, bucketId: string): void {
  const room = uploadRoom.get(bucketId);
  if (room !== undefined) room.left++;
}

function roomOf({ uploadRoom }: Store, bucketId: string): UploadRoom {
  const known = uploadRoom.get(bucketId);
  if (known !== undefined) return known;
  const [oldest] = uploadRoom.keys();
  if (uploadRoom.size >= MAX_REMEMBERED) uploadRoom.delete(oldest as string);
  const room = { left: 0, beginning: new Set<Promise<unknown>>() };
  uploadRoom.set(bucketId, room);
  return room;
}

/** Whether the last count still holds. A clock that was set back does not keep a bucket full. */
function isFull(store: Store, { fullAt }: UploadRoom): boolean {
  if (fullAt === undefined) return false;
  const age = store.now() - fullAt;
  return age >= 0 && age < FULL_FOR;
}

async function recount(store: Store, bucketId: string, room: UploadRoom): Promise<void> {
  const { metadata, settings } = store;
  await Promise.allSettled(room.beginning);
  let free = settings.maxUploadsPerBucket;
  const under = uploadsOf(bucketId);
  for await (const page of uploadRecords.pages(metadata, { under, limit: PAGE })) {
    free -= page.length;
    if (free <= 0) break;
  }
  room.fullAt = free <= 0 ? store.now() : undefined;
  room.left = free > LITTLE_ROOM ? Math.ceil(free / 2) : free;
}
