import { StorageError, tooBusy } from '../../errors.js';
import type { Admitted } from '../buckets/buckets.js';
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

/** How many may wait for a count. A client may send many and cancel them. */
const MOST_WAITING = 1000;
const TOO_MANY =
  'Too many uploads to the bucket begin at the moment. Try again when some have begun.';

/**
 * Starts an upload. Throws BucketObjectNumExceeded when the bucket has reached the limit of
 * unfinished uploads, and ServiceUnavailable when too many wait for their count. The uploads are
 * rarely counted, because that may read thousands of records: in between, this process tracks the
 * uploads that it starts and ends. Other processes count separately.
 */
export async function withinUploadLimit<T>(
  store: Store,
  { bucket, signal }: Pick<Admitted, 'bucket' | 'signal'>,
  begin: () => Promise<T>,
): Promise<T> {
  const room = roomOf(store, bucket.id);
  while (room.left <= 0 || room.counting !== undefined) {
    if (isFull(store, room)) throw new StorageError('BucketObjectNumExceeded');
    if (room.waiting >= MOST_WAITING) throw tooBusy(TOO_MANY);
    room.counting ??= recount(store, bucket.id, room).finally(() => {
      room.counting = undefined;
    });
    room.waiting++;
    await room.counting.finally(() => room.waiting--);
    signal()?.throwIfAborted(); // The client may have disconnected during the wait.
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
  const room = { left: 0, waiting: 0, beginning: new Set<Promise<unknown>>() };
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
