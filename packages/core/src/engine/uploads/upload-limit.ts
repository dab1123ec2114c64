import { StorageError } from '../../errors.js';
import { uploadRecords, uploadsOf } from '../records/uploads.js';
import type { Store, UploadRoom } from '../store.js';

/** So many buckets are remembered. */
const MAX_REMEMBERED = 10_000;

/** Milliseconds for which a full bucket is not counted again. Only other processes make room then. */
const FULL_FOR = 5000;

/** Of so much room all is given out before the next count, of more only half. */
const LITTLE_ROOM = 100;

/** Records of uploads are of up to 17 KB: about a megabyte is decoded at a time. */
const PAGE = 64;

/**
 * Begins an upload. Throws BucketObjectNumExceeded when the bucket has as many unfinished ones as
 * are allowed. They are seldom counted, as that may read thousands of records: what begins and ends
 * in this process is known. Other processes count for themselves.
 */
export async function inRoom<T>(
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
export function makeRoom({ uploadRoom }: Store, bucketId: string): void {
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

/** A clock that was set back does not keep a bucket full. */
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
