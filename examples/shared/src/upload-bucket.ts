import { randomUUID } from 'node:crypto';
import { type ObjectStorage, type Principal, StorageError } from '@bucketware/storage';

/**
 * The bucket for a user's uploads, created if it does not exist. Bucket names are shared by all
 * users, so another user may have taken the usual name, and could then read what is uploaded.
 */
export async function uploadBucket(storage: ObjectStorage, user: Principal): Promise<string> {
  const client = storage.as(user);
  const usual = `uploads-of-${user.userId}`;
  // Lists only buckets that the user owns.
  const find = async () => (await client.listBuckets({ prefix: usual })).buckets[0]?.name;
  const found = await find();
  if (found !== undefined) return found;
  await client.putBucket({ bucket: usual }).catch(unlessItExists);
  const created = await find();
  if (created !== undefined) return created;
  const other = `${usual}-${randomUUID().slice(0, 8)}`;
  await client.putBucket({ bucket: other });
  return other;
}

function unlessItExists(error: unknown): void {
  if (!(error instanceof StorageError) || error.code !== 'BucketAlreadyExists') throw error;
}
